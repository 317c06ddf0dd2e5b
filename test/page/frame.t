#!/usr/bin/env node
// What is around the views: who sees which of them, and what of a narrow window is shown of what is wider.
'use strict';
const { go, is, launch, like, ok, open, run, sound, Store } = require('./harness');
const { command, view } = require('./stock');

/** A page of who has a token of this role. */
async function signedIn(browser, store, user, role) {
    const { token } = (await store.ask('POST', '/v1/tokens', JSON.stringify({ name: user, user, role }))).json, page = await open(browser);
    await go(page, store.url);
    await page.fill('#token', token);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.waitForSelector('header nav');
    return page;
}

/** In the page: of each thing that may scroll sideways, on which sides there is more and on which an edge shows it, and whether keys reach it. */
function edges() {
    const light = colour => {
        const [r, g, b] = colour.match(/[\d.]+/g).map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = light(getComputedStyle(document.body).backgroundColor);
    const contrast = colour => /rgba\(.* 0\)/.test(colour) ? 1 : (Math.max(light(colour), paper) + 0.05) / (Math.min(light(colour), paper) + 0.05);
    return [...document.querySelectorAll('.wide')].map(one => {
        // Each shadow as Chromium tells it: its colour, then how far right it is.
        const shadows = [...getComputedStyle(one).boxShadow.matchAll(/(rgba?\([^)]*\)) (-?\d+)[^,]* inset/g)].filter(([, colour]) => contrast(colour) >= 3);
        const more = [one.scrollLeft > 1 && 'left', one.scrollLeft + one.clientWidth < one.scrollWidth - 1 && 'right'].filter(Boolean);
        return { name: one.getAttribute('aria-label'), more: more.join(), shown: shadows.map(([, , x]) => x > 0 ? 'left' : 'right').join(), isStop: one.tabIndex === 0 };
    });
}

run(async () => {
    const store = new Store(), browser = await launch();
    store.submit('one', [command(1, 'echo one >output')], ['run', '-q']);
    await store.serve();

    // Of who is no admin, what is for admins stands in no list, and its address says whose it is.
    const everybodys = ['Now', 'Workflows', 'Errors', 'Pool', 'Datasets', 'Users', 'Archive'];
    for (const [user, role, views] of [['vera', 'viewer', everybodys], ['sue', 'submitter', everybodys], ['ann', 'admin', [...everybodys, 'Admin']]]) {
        const page = await signedIn(browser, store, user, role), list = page.locator('header nav a');
        await view(page, store, '#/workflows');
        is(await list.allTextContents(), views, `${role}: what may be seen is listed`);
        for (const word of views) {
            await list.getByText(word, { exact: true }).click();
            await page.waitForFunction(wanted => document.querySelector('main h1')?.textContent === wanted, word);
            is(await page.locator('.notice.wrong').count(), 0, `${role}: ${word} is seen`);
        }
        await view(page, store, '#/admin');
        const text = await page.locator('main').textContent();
        if (role === 'admin')
            like(text, /New token/, 'an admin sees what is for admins');
        else
            like(text, new RegExp(`Only who has the role admin sees this view; the token of ${user} is of the role ${role}`), `${role}: at its address it is told whose it is`);
        is(await page.title(), 'Admin - Pingo', 'under its title');
        await sound(page, `admin's view, ${role}`);
        await page.close();
    }

    // What is wider than a narrow window shows on which sides there is more of it; what fits shows nothing, and is no stop for keys.
    for (const colorScheme of ['light', 'dark']) {
        const page = await open(browser, { colorScheme, viewport: { width: 360, height: 740 } });
        await go(page, await store.door());
        await view(page, store, '#/workflows');
        for (const [where, shown] of [[0, 'right'], [20, 'left,right'], [1e6, 'left'], [0, 'right']]) {
            await page.evaluate(x => { document.querySelector('.wide').scrollLeft = x; }, where);
            ok(await page.waitForFunction(wanted => document.querySelector('.wide').dataset.more === wanted, shown.replace(',', ' ')).catch(() => false), `${colorScheme}: scrolled to ${where}, more is ${shown}`);
            const [found] = await page.evaluate(edges);
            is([found.more, found.shown, found.isStop], [shown, shown, true], `${colorScheme}: as an edge that is seen shows, and keys reach it`);
        }
        await page.setViewportSize({ width: 2400, height: 740 });
        ok(await page.waitForFunction(() => document.querySelector('.wide').dataset.more === '').catch(() => false), `${colorScheme}: in a wide window there is no more`);
        is((await page.evaluate(edges)).filter(one => one.more || one.shown || one.isStop), [], `${colorScheme}: and nothing shows it, or stops keys`);
        await page.close();
    }
});
