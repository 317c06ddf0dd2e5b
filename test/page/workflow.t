#!/usr/bin/env node
// One submission and one action in a real Chromium: every part of the views, hostile names, a run that goes on while it is looked
// at, its log as it grows, and 100,000 actions as cells.
'use strict';
const fs = require('fs');
const { eventually, go, is, launch, like, note, ok, open, problemsOf, run, sound } = require('./harness');
const { command, stocked, view } = require('./stock');

const N = 100000;

run(async () => {
    const store = await stocked();
    const browser = await launch();
    const page = await open(browser);
    await go(page, await store.door());
    await page.waitForSelector('h1');
    const at = async where => {
        await view(page, store, `#/${where}`);
        ok(!await page.locator('.notice.wrong').count(), `${where}: no error is shown`, await page.locator('main').textContent());
    };
    for (const show of ['graph', 'matrix', 'timeline', 'list', 'path', 'text']) {
        await at(`workflows/${store.hostile}?show=${show}`);
        await sound(page, `hostile names, ${show}`);
    }
    for (const where of [`workflows/${store.failed}?show=list&state=FAILED`, `workflows/${store.hostile}/actions/2`, `workflows/${store.failed}/actions/3`]) {
        await at(where);
        await sound(page, where);
    }
    like(await page.locator('main').textContent(), /echo "cannot read \/data\/3/, 'an action shows its command');
    await page.getByText('Try 1: standard error').click();
    ok(await page.waitForFunction(() => document.querySelector('#log-stderr-1').textContent.includes('cannot read /data/3/<b>x</b>.dat')).catch(() => false), 'and what it printed, as text');
    is(await page.evaluate(() => document.querySelectorAll('main img, main script, main b b').length), 0, 'no name is markup');

    // What was wanted of memory stands beside what was used; the longest chain, and what came of the plan, are told.
    const thrifty = store.submit('thrifty', [command(1, 'sleep 0.3; echo 1 >output', [], { resources: { memoryMB: 64 } }), command(2, 'cat in/p1 >output', [1]), command(3, 'echo 3 >output')], ['submit']);
    const told = async where => (await store.ask('GET', `/v1/workflows/${thrifty}${where}`)).json;
    ok(await eventually(async () => (await told('')).state === 'FINISHED'), 'a run with a wish for memory ends');
    await at(`workflows/${thrifty}/actions/1`);
    const [{ maxRssBytes }] = (await told('/actions/1/attempts')).items;
    like(await page.locator('[aria-label=Attempts] tbody').textContent(), /[\d.]+ [kM]B of 64\.0 MB/, 'memory used stands beside what was wanted');
    is(await page.locator('[aria-label=Attempts] meter').evaluate(meter => [meter.max, meter.value]), [64e6, maxRssBytes], 'as a bar, too');
    await at(`workflows/${thrifty}?show=path`);
    is(await page.locator('[aria-label="Critical path"] tbody td:first-child').allTextContents(), (await told('/critical')).items.map(step => `${thrifty}/${step.id}`), 'the critical path is that of the API');
    like(await page.locator('[aria-label=Plan] tbody').textContent(), /to compute\s*3\s*3 finished, 0 failed, 0 to go/, 'the plan stands beside what came of it');

    // The run before of the same name is known.
    const chains = (await store.ask('GET', '/v1/workflows?name=chain&limit=1')).json.items[0].workflow;
    await at(`workflows/${chains}`);
    like(await page.locator('main').textContent(), /Compared with the run before/, 'a run is compared with the one before');
    like(await page.locator('.bar + p').textContent(), /^\d+ (finished|reused|not needed)(, \d+ (finished|reused|not needed))*$/, 'its bar is told in words');

    // Names that differ in their digits are one group, below which others begin much deeper.
    const iterates = store.submit('iterates', [...Array(5).keys()].map(i => command(i + 1, `echo iterates ${i} >output`, i ? [i] : [], { name: `iter-${i}` })).concat(command(6, 'cat in/p5 >output', [5], { name: 'final' })));
    await at(`workflows/${iterates}`);
    like(await page.locator('svg[aria-label^="Graph of"]').getAttribute('viewBox'), /^0 0 438 66$/, 'a group that begins deep down stands beside the one before it');

    // Of very many attempts the first by their start are drawn, and that is said.
    const [tried] = (await told('/attempts')).items, copies = n => Array.from({ length: n }, (_, i) => ({ ...tried, id: i }));
    await page.route(`**/v1/workflows/${thrifty}/attempts?*`, route => route.fulfill({ json: /cursor/.test(route.request().url()) ? { items: copies(300), next: null } : { items: copies(2000), next: 'x' } }));
    await at(`workflows/${thrifty}?show=timeline`);
    like(await page.locator('figcaption').textContent(), /^The first 2,000 of 2,300 attempts in /, 'of more attempts than are drawn all are counted');
    await page.unroute(`**/v1/workflows/${thrifty}/attempts?*`);
    await page.route(`**/v1/workflows/${thrifty}/attempts?*`, route => route.fulfill({ json: { items: [], next: null } }));
    await at(`workflows/${thrifty}?show=timeline`);
    is(await page.locator('main .notice').textContent(), 'Nothing has run.', 'of none it is not said why, such as of what waits');
    await page.unroute(`**/v1/workflows/${thrifty}/attempts?*`);

    // A run goes on while it is looked at.
    const [gate, line] = ['gate', 'line'].map(name => store.file(name));
    const live = store.submit('goes on', [command(1, `echo begun; until [ -e ${line} ]; do sleep 0.05; done; echo a line more; until [ -e ${gate} ]; do sleep 0.05; done; echo done >output`), command(2, 'cat in/p1 >output', [1])]);
    let definitions = 0;
    await page.route('**/text', route => { definitions++; return route.continue(); });
    await at(`workflows/${live}?show=text`);
    const anew = page.waitForResponse(answer => answer.url().endsWith(`/v1/workflows/${live}`));
    await store.ask('POST', `/v1/workflows/${live}/pause`);
    await anew;
    await store.ask('POST', `/v1/workflows/${live}/resume`);
    await page.waitForFunction(() => /running/.test(document.querySelector('main .badge').textContent));
    is(definitions, 1, 'its definition, which does not change, is asked for once');
    await page.unroute('**/text');
    await at(`workflows/${live}/actions/1`);
    await page.waitForFunction(() => /Try 1/.test(document.querySelector('main').textContent));
    await page.getByText('Try 1: standard output').click();
    await page.waitForFunction(() => document.querySelector('#log-stdout-1').textContent.includes('begun'));
    fs.writeFileSync(line, '');
    ok(await page.waitForFunction(() => document.querySelector('#log-stdout-1').textContent.includes('a line more')).catch(() => false), 'a log grows while it is read');
    const streams = async n => eventually(async () => new RegExp(`^pingo_event_streams ${n}$`, 'm').test((await store.ask('GET', '/metrics')).body), 30);
    const hide = isHidden => page.evaluate(value => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);
    await hide(true);
    ok(await streams(0), 'a tab that is hidden follows nothing, no log either: a browser has six connections for all');
    await hide(false);
    ok(await page.waitForFunction(() => /^begun\na line more\n$/.test(document.querySelector('#log-stdout-1').textContent)).catch(() => false), 'and its log is there again once it is shown');
    ok(await streams(2), 'and goes on');
    await at(`workflows/${live}?show=matrix`);
    const legend = text => page.waitForFunction(wanted => document.querySelector('[id$=-legend]')?.textContent.includes(wanted), text).then(() => true, () => false);
    ok(await legend('1 running'), 'its cells say what runs');
    ok(await eventually(async () => /^pingo_event_streams 1$/m.test((await store.ask('GET', '/metrics')).body)), 'a log that nobody looks at any more is not followed');
    fs.writeFileSync(gate, '');
    ok(await legend('2 finished'), 'and, when it has ended, that it has');
    await page.waitForFunction(() => /finished/.test(document.querySelector('main .badge').textContent));
    await sound(page, 'a run that was looked at');

    // It is ended from the page, once that was said twice.
    const endless = store.submit('endless', [command(1, 'sleep 1000; echo never >output')]);
    await at(`workflows/${endless}`);

    // Who may not is told so, and has no button to press.
    const shown = async (user, role, where) => {
        const token = (await store.ask('POST', '/v1/tokens', JSON.stringify({ name: `${user}-${where.length}`, user, role }))).json.token, other = await open(browser);
        await go(other, store.url);
        await other.fill('#token', token);
        await other.getByRole('button', { name: 'Go on' }).click();
        await other.waitForSelector('header nav');
        await other.goto(`${store.url}/#/${where}`);
        await other.waitForSelector('main .row button');
        await sound(other, `${where} for a ${role}`);
        const seen = [await other.locator('main .row button:disabled').allTextContents(), await other.locator('main').textContent()];
        await other.close();
        return seen;
    };
    for (const [user, role, where, disabled, said] of [
        ['vera', 'viewer', `workflows/${endless}`, ['Pause', 'End'], /With a token for viewers nothing can be changed/],
        ['sue', 'submitter', `workflows/${endless}`, ['Pause', 'End'], /who alone may change it, beside admins/],
        ['ann', 'admin', `workflows/${endless}`, [], /running/],
        ['vera', 'viewer', `workflows/${store.failed}/actions/1`, ['Run again'], /With a token for viewers nothing can be changed/],
        ['sue', 'submitter', `workflows/${store.failed}/actions/1`, [], /Run again/]]) {
        const [buttons, text] = await shown(user, role, where);
        is(buttons, disabled, `${where}: what a ${role} may not do cannot be pressed`);
        like(text, said, 'and it says why');
    }

    const isSaid = text => page.waitForFunction(wanted => document.querySelector('main .badge').textContent === wanted, text).then(() => true, () => false);
    await page.getByRole('button', { name: 'Pause' }).click();
    ok(await isSaid('‖ paused'), 'a run is paused from its page, by a sign of its own');
    await sound(page, 'a run that is paused');
    await at('workflows');
    await page.selectOption('#state', 'paused');
    ok(await page.waitForFunction(wanted => document.querySelectorAll('tbody tr').length === 1 && document.querySelector('tbody a').textContent === wanted, `${endless}`).then(() => true, () => false), 'which is found among others');
    await at(`workflows/${endless}`);
    await page.getByRole('button', { name: 'Go on' }).click();
    ok(await isSaid('▶ running'), 'and goes on');

    await page.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByRole('button', { name: 'Really end it' }).click();
    ok(await eventually(async () => (await store.ask('GET', `/v1/workflows/${endless}`)).json.state === 'KILLED'), 'a run is ended from its page');
    await at(`workflows/${endless}`);
    await page.getByRole('link', { name: 'What was ended' }).click();
    ok(await page.waitForFunction(() => /ended/.test(document.querySelector('[aria-label=Actions] tbody')?.textContent)).catch(() => false), 'and what of it was is listed');

    await at(`workflows/${store.failed}`);
    await page.getByRole('button', { name: 'Run again' }).click();
    ok(await page.waitForFunction(failed => document.querySelector('main').textContent.includes('Compared with the run before') && !location.hash.endsWith(`/${failed}`), store.failed).catch(() => false),
        'a run is submitted again from its page');
    await at(`workflows/${store.failed}/actions/3`);
    await page.getByRole('button', { name: 'Run again' }).click();
    ok(await page.waitForFunction(failed => /^#\/workflows\/\d+\/actions\/3$/.test(location.hash) && !location.hash.startsWith(`#/workflows/${failed}/`) && document.querySelector('h1')?.textContent.includes('step-3'), store.failed).catch(() => false),
        'and from that of what failed, where it is shown again');

    // 100,000 cells, by the pointer and by the keyboard.
    store.pingo('config', 'executor.slots', '1');
    const many = Array.from({ length: N }, (_, i) => command(i + 1, i % 7 ? `echo ${i} >output` : 'sleep 1000', i >= 1000 ? [i + 1 - 1000] : []));
    const large = store.submit('many', many);
    const began = Date.now();
    await at(`workflows/${large}?show=matrix`);
    ok(await legend('waiting'), '100,000 actions are shown');
    note(`the view of ${N} actions came in ${Date.now() - began} ms`);
    const drawn = await page.evaluate(() => { const canvas = document.querySelector('canvas'); return [canvas.width, canvas.height, canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.filter((v, i) => i % 4 === 3 && v > 0).length]; });
    ok(drawn[0] * drawn[1] >= N && drawn[2] >= N / 4, 'each has a cell', drawn);
    const drawing = await page.evaluate(async () => {
        const { Matrix } = await import(performance.getEntriesByType('resource').map(one => one.name).find(one => /matrix/.test(one)));
        const cells = 100000, matrix = new Matrix({ states: 'w'.repeat(cells), ids: Array.from({ length: cells }, (_, i) => i), depths: Array.from({ length: cells }, (_, i) => Math.floor(i / 1000)) }, () => {});
        const times = [];
        matrix.id = document.querySelector('canvas').id;
        for (let i = 0; i < 9; i++) {
            matrix.canvas = undefined; // placed anew, too
            const from = performance.now();
            matrix.renew('wrRFX='.repeat(cells / 5).slice(0, cells));
            times.push(performance.now() - from);
        }
        return times.sort((a, b) => a - b)[4];
    });
    note(`${N} cells are placed and drawn in ${drawing.toFixed(1)} ms (median of 9; goal 100)`);
    const wide = await page.locator('canvas').evaluate(canvas => canvas.width), { width, height } = page.viewportSize();
    await page.setViewportSize({ width: 700, height });
    ok(await page.waitForFunction(before => document.querySelector('canvas').width < Math.min(before, 700), wide).catch(() => false), 'in a narrower window cells are placed anew');
    await page.setViewportSize({ width, height });
    ok(await page.waitForFunction(before => document.querySelector('canvas').width === before, wide).catch(() => false), 'and again in a wider one');
    await page.focus('canvas');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    like(await page.locator('[id$=-cell]').textContent(), /^Action \d+: .*, depth \d+$/, 'the keyboard finds a cell');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /\/actions\/\d+$/.test(location.hash));
    ok(true, 'and opens its action');
    await page.goto(`${store.url}/#/workflows/${large}?show=list`);
    await page.waitForSelector('table');
    is(problemsOf(page), [], 'nothing was wrong with any of it');
    store.pingo('kill', String(large));
});
