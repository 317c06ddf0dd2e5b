#!/usr/bin/env node
// What is around the views: who sees which of them.
'use strict';
const { go, is, launch, like, open, run, sound, Store } = require('./harness');
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
});
