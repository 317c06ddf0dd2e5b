#!/usr/bin/env node
// What is around the views: who sees which of them, what a narrow window shows of what is wider, where
// the focus goes, and what is told when the server is away or knows the token no more.
'use strict';
const fs = require('fs');
const { eventually, go, is, launch, like, ok, open, problemsOf, run, seconds, sound, Store } = require('./harness');
const { command, view } = require('./stock');

/** Gives a page, which asks for one, a new token of this role. */
async function giveToken(page, store, user, role) {
    const { token } = (await store.ask('POST', '/v1/tokens', JSON.stringify({ name: user, user, role }))).json;
    await page.fill('#token', token);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.waitForSelector('header .who');
}

/** A page of who has a token of this role. */
async function signedIn(browser, store, user, role) {
    const page = await open(browser);
    await go(page, store.url);
    await giveToken(page, store, user, role);
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

    // Addresses that anybody may have written.
    const page = await signedIn(browser, store, 'otto', 'admin');
    await page.goto(`${store.url}/#/workflows/%E0%A4%A`);
    ok(await page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'There is no such view').catch(() => false), 'what is no text leads to no view');
    await view(page, store, '#/workflows?name=100%2541');
    is(await page.inputValue('#name'), '100%41', 'what is written in an address is decoded once');
    await page.goto(await store.door());
    await page.waitForFunction(() => location.hash === '#/' && document.getElementById('app').dataset.at === '/');
    like(await page.evaluate(async () => (await fetch('/v1/me', { headers: { Authorization: `Bearer ${sessionStorage.getItem('pingo-token')}` } })).text()), /^(?!.*otto).*"admin"/, 'a code is taken by a tab that is signed in, too');
    const used = await page.context().newPage(), door = await store.door();
    await go(used, door);
    await used.waitForSelector('header nav');
    await used.evaluate(() => sessionStorage.clear());
    await used.goto('about:blank');
    await go(used, door);
    ok(await used.waitForFunction(() => /was used already/.test(document.querySelector('main')?.textContent)).catch(() => false), 'an address that was used already says so');
    await used.close();

    // What is no token is told so, and does not stay.
    const stranger = await open(browser);
    await go(stranger, store.url);
    await stranger.fill('#token', '\u201cpingo_abc\u2026\u201d');
    await stranger.getByRole('button', { name: 'Go on' }).click();
    ok(await stranger.waitForFunction(() => /That is no token/.test(document.querySelector('main').textContent) && document.getElementById('token')).catch(() => false), 'what cannot be a token is refused, and another may be given');
    await stranger.close();

    // Who looks is told, and a tab may be given the token of another.
    const fay = await signedIn(browser, store, 'fay', 'submitter');
    await view(fay, store, '#/admin');
    like(await fay.locator('header .who').innerText(), /^fay\s+submitter\s+Sign out$/, 'who looks, and as what');
    await fay.getByRole('button', { name: 'Sign out' }).click();
    ok(await fay.waitForSelector('#token').catch(() => false), 'who signs out is asked for a token');
    is(await fay.evaluate(() => [document.activeElement.id, document.querySelectorAll('header .who').length, sessionStorage.getItem('pingo-token')]), ['main', 0, ''], 'has the focus there, and the tab keeps none');
    await giveToken(fay, store, 'adam', 'admin');
    ok(await fay.waitForFunction(() => /New token/.test(document.querySelector('main').textContent)).catch(() => false), 'and with that of another sees what that one may');
    is(problemsOf(fay), [], 'without an error');
    await fay.close();

    // An address that says last stays with what was the last when it was opened.
    const newest = async () => (await store.ask('GET', '/v1/workflows/last')).json.workflow;
    const last = await newest();
    await view(page, store, '#/workflows/last?show=list');
    const actions = () => page.locator('[aria-label=Actions] tbody a').evaluateAll(links => links.map(link => link.getAttribute('href')));
    is(await actions(), [`#/workflows/${last}/actions/1`], 'the last submission is told by its number');
    const renewed = page.waitForResponse(answer => answer.url().endsWith(`/v1/workflows/${last}`)).catch(() => undefined);
    store.submit('newer', [command(1, 'echo newer >output'), command(2, 'echo more >output')]);
    await renewed;
    await page.getByRole('button', { name: 'Definition' }).click();
    ok(await page.waitForFunction(wanted => location.hash.startsWith(`#/workflows/${wanted}?show=text`), last).catch(() => false), 'whatever is submitted meanwhile');

    // What comes late of a view that was left changes no title; of one that cannot be shown there is one message.
    await page.route('**/v1/workflows/1', route => seconds(1).then(() => route.continue()).catch(() => {}));
    const late = page.waitForResponse(answer => answer.url().endsWith('/v1/workflows/1'));
    await page.goto(`${store.url}/#/workflows/1`);
    await view(page, store, '#/pool');
    await late;
    await seconds(0.3);
    is(await page.title(), 'Pool - Pingo', 'a view that was left gives no title');
    await page.unroute('**/v1/workflows/1');
    await view(page, store, '#/workflows/999');
    is(await page.title(), 'Pingo', 'nor does one that is not there keep that of another');
    const asked = page.waitForResponse(answer => answer.url().endsWith('/v1/workflows/999'));
    store.submit('changes', [command(1, 'echo changes >output')]);
    await asked;
    await seconds(0.3);
    is(await page.locator('main [role=alert]').allTextContents(), ['there is no workflow 999'], 'what was never shown is told of once, whatever changes');

    // What is there of datasets is followed, in words.
    await view(page, store, '#/datasets');
    const gate = store.file('gate');
    store.submit('slowly', [command(1, `until [ -e ${gate} ]; do sleep 0.05; done; echo slowly >output`, [], { name: 'slowly made' })]);
    const row = text => page.waitForFunction(wanted => [...document.querySelectorAll('[aria-label=Datasets] tbody tr')].some(one => one.textContent.includes('slowly made') && one.textContent.includes(wanted)), text).then(() => true, () => false);
    ok(await row('being made'), 'a dataset that is being made is listed as such');
    fs.writeFileSync(gate, '');
    ok(await row('result'), 'and once it is there, as a result');

    // Whoever presses twice runs once.
    const former = await newest();
    await view(page, store, `#/workflows/${former}`);
    await page.waitForFunction(() => [...document.querySelectorAll('main button')].some(button => button.textContent === 'Run again'));
    await page.evaluate(() => { const button = [...document.querySelectorAll('main button')].find(one => one.textContent === 'Run again'); button.click(); button.click(); });
    await page.waitForFunction(before => !location.hash.endsWith(`/${before}`), former);
    await seconds(0.5);
    is(await newest(), former + 1, 'two presses run it again once');
    problemsOf(page);

    // The focus stays where it is in a view, and goes to the view when that is another.
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    await view(page, store, '#/errors');
    await page.getByRole('button', { name: 'by node' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /by=node/.test(document.getElementById('app').dataset.at));
    is(await focused(), 'by node', 'what was chosen by a key keeps the focus');
    await page.getByRole('link', { name: 'Pool' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.getElementById('app').dataset.at === '/pool');
    is(await focused(), 'main', 'another view has it');
    const many = store.submit('many', Array.from({ length: 250 }, (_, i) => command(i + 1, `sleep 1000; echo ${i} >output`)));
    await view(page, store, `#/workflows/${many}`);
    await page.getByRole('button', { name: 'End', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => [...document.querySelectorAll('main button')].some(button => button.textContent === 'Really end it'));
    is(await focused(), 'No', 'who is asked once more stands at No');

    // Whoever presses twice gets one page more, each row once.
    await view(page, store, `#/workflows/${many}?show=list`);
    await page.evaluate(() => { const button = [...document.querySelectorAll('main button')].find(one => one.textContent === 'Show more'); button.click(); button.click(); });
    await page.waitForFunction(() => document.querySelectorAll('[aria-label=Actions] tbody tr').length > 100);
    const numbers = await page.locator('[aria-label=Actions] tbody td:first-child').allTextContents();
    is([numbers.length, new Set(numbers).size], [200, 200], 'two presses are one page more');
    store.pingo('kill', String(many));
    is(problemsOf(page), [], 'all without an error');

    // A stream that hangs, and is not closed, is noticed and opened again.
    const hung = await signedIn(browser, store, 'hugo', 'viewer');
    let opened = 0, hangs = true;
    await view(hung, store, '#/workflows');
    await hung.route('**/v1/events*', route => ++opened && hangs ? undefined : route.continue());
    await hung.clock.install();
    await hung.reload();
    await hung.waitForFunction(() => document.getElementById('app')?.dataset.at === '/workflows');
    ok(await eventually(() => opened > 0), 'a stream that says nothing');
    const before = opened;
    hangs = false;
    await hung.clock.fastForward(46000);
    ok(await eventually(() => opened > before), 'is opened again');
    store.submit('after silence', [command(1, 'echo silence >output')], ['submit']);
    ok(await hung.waitForFunction(() => document.querySelector('main').textContent.includes('after silence')).catch(() => false), 'and what is new comes');
    await hung.close();

    // A server that is away is told of, and what is new comes once it is back; a token that is good no more leads to the way in.
    const told = text => page.waitForFunction(wanted => document.querySelector('main').textContent.includes(wanted), text).then(() => true, () => false);
    const port = new URL(store.url).port;
    const other = await signedIn(browser, store, 'olga', 'viewer');
    await view(other, store, '#/workflows');
    await view(page, store, '#/workflows');
    ok(await eventually(async () => /^pingo_event_streams [1-9]/m.test((await store.ask('GET', '/metrics')).body)), 'the page hears what is new');
    const admin = await signedIn(browser, store, 'anna', 'admin');
    await view(admin, store, '#/admin');
    await store.stop();
    await admin.fill('#token-name', 'of-nobody');
    await admin.getByRole('button', { name: 'Create' }).click();
    ok(await admin.waitForFunction(() => /The server does not answer/.test(document.querySelector('main [role=alert]')?.textContent)).catch(() => false), 'what an admin cannot do then is told');
    is(problemsOf(admin).filter(text => !/Failed to load resource/.test(text)), [], 'without an exception');
    await admin.close();
    for (const tab of [other, page])
        ok(await tab.waitForFunction(() => /The server does not answer\. What is shown is as it was at/.test(document.querySelector('main [role=alert]')?.textContent)).catch(() => false), 'that the server is away is told');
    like(await other.locator('main').textContent(), /many/, 'beside what was shown');
    store.gone = false;
    await store.serve('--port', port);
    store.submit('back again', [command(1, 'echo back >output')], ['submit']);
    ok(await other.waitForFunction(() => document.querySelector('main').textContent.includes('back again') && !document.querySelector('main [role=alert]')).catch(() => false), 'and no more once it is back, with what is new');
    ok(await told('Who are you?'), 'a token that ended with the server leads to the way in');
    is(await page.locator('header nav a').getByText('Admin').count(), 0, 'which lists nothing for admins');
    store.pingo('token', 'revoke', 'olga');
    store.submit('later', [command(1, 'echo later >output')], ['submit']);
    ok(await other.waitForFunction(() => document.querySelector('h1').textContent === 'Who are you?').catch(() => false), 'and so does one that was revoked');
    is([...problemsOf(page), ...problemsOf(other)].filter(text => !/Failed to load resource/.test(text)), [], 'all without an exception');
});
