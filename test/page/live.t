#!/usr/bin/env node
// A workflow that runs is followed without a reload, and one of 100,000 actions opens.
'use strict';
const fs = require('fs');
const { go, is, launch, note, ok, open, run, seconds, sound, Store } = require('./harness');
const { command, view } = require('./stock');

const ACTIONS = 60, MANY = 100000;
const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

run(async () => {
    const store = new Store({ 'executor.slots': 1 });
    await store.serve();
    const browser = await launch();
    const page = await open(browser);
    await go(page, await store.door());

    // Each action waits for the one before it, so that their ends are apart; every tenth, until those before it were seen.
    const gate = i => store.file(`go.${i}`);
    const workflow = store.submit('live', Array.from({ length: ACTIONS }, (_, i) =>
        command(i + 1, `${i % 10 ? '' : `until [ -e ${gate(i)} ]; do sleep 0.02; done; `}sleep 0.15; echo >output`, i ? [i] : [])));
    await view(page, store, `#/run/${workflow}`);
    await page.evaluate(() => {
        window.seen = {};
        window.sums = {};
        const look = () => {
            const told = document.querySelector('main .bar')?.getAttribute('aria-label') || '';
            const n = Number(/(\d+) finished/.exec(told)?.[1] || 0), sum = (told.match(/\d+/g) || []).reduce((all, part) => all + Number(part), 0);
            window.seen[n] ??= Date.now();
            window.sums[sum] = told;
        };
        new MutationObserver(look).observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true, characterData: true });
        look();
    });
    for (let i = 0; i <= ACTIONS; i += 10) {
        await page.waitForFunction(n => n in window.seen, i, { timeout: 600000 });
        fs.writeFileSync(gate(i), '');
    }
    ok(true, 'all ends were seen without a reload');
    const seen = await page.evaluate(() => window.seen);
    const ends = (await store.ask('GET', `/v1/workflows/${workflow}/actions?limit=1000`)).json.items.map(row => Date.parse(row.ended)).sort((a, b) => a - b);
    // The n-th end was seen once n or more were counted; what had ended before the page was there is not asked.
    const counts = Object.keys(seen).map(Number).sort((a, b) => a - b);
    const waits = ends.map((end, i) => [end, seen[counts.find(n => n >= i + 1)]]).filter(([end]) => end > seen[counts[0]]).map(([end, at]) => at - end);
    ok(waits.length > ACTIONS / 2, 'most of them while it was looked at', waits.length);
    note(`from the end of an action to the browser: median ${median(waits)} ms, most ${Math.max(...waits)} ms (goal: median 250 ms), ${counts.length} drawn of ${ACTIONS}`);
    ok(counts.length > 5, 'one after the other');
    const sums = await page.evaluate(() => window.sums);
    is(Object.keys(sums).filter(sum => sum !== '0').join(), String(ACTIONS), 'its bar has each action once, whatever becomes of it', JSON.stringify(sums));
    await sound(page, 'a run that was followed');

    // What takes a server long is not asked for again at once, however much happens: the page says for how long it waits.
    const slow = await open(browser);
    await slow.addInitScript(() => {
        const later = window.setTimeout;
        window.rests = [];
        window.setTimeout = (code, ms, ...more) => { // what ends a promise's wait
            if (String(code).includes('[native code]'))
                window.rests.push(ms);
            return later(code, ms, ...more);
        };
    });
    await slow.route('**/v1/pool/report*', route => seconds(1).then(() => route.continue()));
    await go(slow, await store.door());
    await view(slow, store, '#/pool');
    store.submit('changes', [command(1, 'echo changes >output')]);
    ok(await slow.waitForFunction(() => window.rests.some(ms => ms >= 3000)).catch(() => false), 'what took a second to load rests for three', await slow.evaluate(() => window.rests));
    await slow.close();
    await store.stop();

    // 100,000 actions, of which none runs.
    const large = new Store();
    fs.writeFileSync(large.file('workflow.json'), JSON.stringify({ name: 'large', actions: Array.from({ length: MANY }, (_, i) =>
        command(i + 1, `echo ${i} >output`, i >= 1000 ? [i - 999] : [])) }));
    large.pingo('submit', '-q', 'workflow.json');
    await large.serve('--no-run');
    const wide = await open(browser);
    await go(wide, await large.door());
    for (const where of ['#/workflows', '#/workflows/1', '#/run/1']) {
        const from = Date.now();
        await view(wide, large, where);
        note(`${MANY} actions: ${where} in ${Date.now() - from} ms`);
        is(await wide.locator('.notice.wrong').count(), 0, `${where.slice(1)}: ${MANY} actions are shown`);
        ok(await wide.evaluate(() => document.querySelectorAll('*').length) < 30000, 'with a bounded number of elements');
    }
    ok(/the first 10,000 of 100,000 actions/.test(await wide.locator('main').textContent()), 'and a run says how many of them it lists');
    await sound(wide, 'a run of 100,000 actions');
});
