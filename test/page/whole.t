#!/usr/bin/env node
// The whole page in the dark and on a telephone, by the keyboard alone; and what pages of elsewhere get of the server.
'use strict';
const http = require('http');
const { atEnd, go, is, launch, like, ok, open, problemsOf, run, sound } = require('./harness');
const { addresses, stocked, view } = require('./stock');

run(async () => {
    const store = await stocked();
    const browser = await launch('--host-resolver-rules=MAP evil.test 127.0.0.1');
    const all = await addresses(store);

    // ---- in the dark, in a narrow window ---------------------------------------------------------

    const small = await open(browser, { colorScheme: 'dark', viewport: { width: 360, height: 740 } });
    await go(small, await store.door());
    await small.waitForSelector('header nav');
    for (const [name, where] of Object.entries(all)) {
        await view(small, store, where);
        ok(!await small.locator('.notice.wrong').count(), `${name}: no error is shown`, await small.locator('main').textContent());
        const width = await small.evaluate(() => document.documentElement.scrollWidth);
        ok(width <= 361, `${name}: nothing is wider than the window`, `${width} of 360: ${await small.evaluate(() => [...document.querySelectorAll('main *')]
            .filter(e => e.getBoundingClientRect().right > 362 && !e.closest('.wide')).slice(0, 3).map(e => e.outerHTML.slice(0, 200)).join('\n'))}`);
        ok(await small.waitForFunction(() => [...document.querySelectorAll('.wide')].every(one => one.scrollWidth <= one.clientWidth + 1 || one.dataset.more)).catch(() => false), `${name}: what scrolls sideways shows it`);
        is(await small.locator('main img, main script, main iframe').count(), 0, `${name}: names are no markup`);
        await sound(small, `${name}, dark`);
    }
    like(await small.title(), /Pingo/, 'no name has taken the title');
    await small.close();

    // ---- by the keyboard ----------------------------------------------------------------------------

    const page = await open(browser);
    await go(page, await store.door());
    await view(page, store, '#/');
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('Tab');
    like(await page.evaluate(() => document.activeElement.textContent), /Skip to the content/, 'the first key leads past the frame');
    ok(await page.evaluate(() => document.activeElement.getBoundingClientRect().left >= 0), 'and is seen then');
    const seen = new Set();
    for (let i = 0; i < 30 && !seen.has('Errors'); i++) {
        await page.keyboard.press('Tab');
        const at = await page.evaluate(() => [document.activeElement.textContent.trim().slice(0, 40), getComputedStyle(document.activeElement).outlineStyle]);
        seen.add(at[0]);
        if (at[1] === 'none')
            ok(false, `where the focus is, is seen on ${at[0]}`);
    }
    ok(seen.has('Errors'), 'keys reach the views', [...seen]);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('h1')?.textContent === 'Errors');
    ok(true, 'and open them');
    for (let i = 0; i < 40 && await page.evaluate(() => document.activeElement.textContent) !== 'by node'; i++)
        await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => /by=node/.test(location.hash) && document.querySelector('[aria-label="Failures by node"]'));
    ok(true, 'what one chooses is chosen by a key');
    is(problemsOf(page), [], 'all without an error');

    // ---- pages of elsewhere -----------------------------------------------------------------------------

    const token = await page.evaluate(() => sessionStorage.getItem('pingo-token'));
    const other = http.createServer((request, answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<!DOCTYPE html><title>Elsewhere</title>'));
    await new Promise(done => other.listen(0, '127.0.0.1', done));
    atEnd(() => { other.closeAllConnections(); other.close(); });
    const foreign = await (await browser.newContext()).newPage();
    await foreign.goto(`http://127.0.0.1:${other.address().port}/`);
    const asked = await foreign.evaluate(async ([url, bearer]) => {
        const tries = [['simple', {}], ['no-cors', { mode: 'no-cors' }], ['with a token', { headers: { Authorization: `Bearer ${bearer}` } }], ['a write', { method: 'POST', headers: { Authorization: `Bearer ${bearer}` } }]];
        return Promise.all(tries.map(([what, o]) => fetch(`${url}/v1/workflows`, o).then(async a => `${what}: read ${(await a.text()).length} of ${a.status}`, () => `${what}: refused`)));
    }, [store.url, token]);
    is(asked.filter(text => !/refused|read 0 of 0/.test(text)), [], 'another origin reads nothing, even with a token');
    const refused = headers => new Promise(done => http.get(`${store.url}/v1/workflows`, { headers: { Authorization: `Bearer ${token}`, ...headers } }, answer => { answer.resume(); done(answer.statusCode); }));
    is([await refused({}), await refused({ Origin: `http://127.0.0.1:${other.address().port}` }), await refused({ 'Sec-Fetch-Site': 'cross-site' })], [200, 403, 403], 'the server refuses it itself, not the browser alone');
    const answer = await foreign.goto(store.url.replace('127.0.0.1', 'evil.test'));
    is(answer.status(), 421, 'a name that leads here is not this server');
    is(await foreign.evaluate(async bearer => (await fetch('/v1/workflows', { headers: { Authorization: `Bearer ${bearer}` } })).status, token), 421, 'nor with a token');
    is((await foreign.goto(`${store.url}/`).then(a => a.status())), 200, 'a link may be followed');
});
