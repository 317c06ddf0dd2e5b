#!/usr/bin/env node
// A tab that is open for hours: it holds on to nothing of views that were left.
'use strict';
const { eventually, go, is, launch, note, ok, open, problemsOf, run } = require('./harness');
const { addresses, stocked, view } = require('./stock');

const CHANGES = 150;

/** In the page: goes to one address after the other, each once the one before is drawn. */
async function wander([addressesOf, n]) {
    for (let i = 0; i < n; i++) {
        const to = addressesOf[i % addressesOf.length];
        location.hash = to;
        for (const from = Date.now(); document.getElementById('app').dataset.at !== to.slice(1); await new Promise(done => setTimeout(done, 5)))
            if (Date.now() - from > 60000)
                return to;
    }
    return '';
}

run(async () => {
    const store = await stocked(), browser = await launch();
    const page = await open(browser), devtools = await page.context().newCDPSession(page);
    await go(page, await store.door());
    await page.waitForSelector('header nav');

    /** What the tab holds once all that can go is gone: at least as little as that, or what there was in the end. */
    const held = async (nodes = 0, listeners = 0) => {
        let now;
        await eventually(async () => {
            await devtools.send('HeapProfiler.collectGarbage');
            const { metrics } = await devtools.send('Performance.getMetrics'), of = wanted => metrics.find(one => one.name === wanted).value;
            now = { nodes: of('Nodes'), listeners: of('JSEventListeners'), heap: of('JSHeapUsedSize') };
            return now.nodes <= nodes && now.listeners <= listeners;
        }, nodes ? 60 : 2);
        note(`${now.nodes} nodes, ${now.listeners} listeners, ${(now.heap / 1e6).toFixed(1)} MB`);
        return now;
    };
    await devtools.send('Performance.enable');
    const all = [...Object.values(await addresses(store)), '#/workflows/3?show=matrix', '#/workflows/3?show=timeline', '#/workflows/3?show=list'];
    is(await page.evaluate(wander, [all, all.length]), '', 'each view is drawn once');
    await view(page, store, '#/users');
    const before = await held();
    is(await page.evaluate(wander, [all, CHANGES]), '', `and ${CHANGES} times one of them`);
    await view(page, store, '#/users');
    const after = await held(before.nodes + 500, before.listeners + 30);
    ok(after.nodes <= before.nodes + 500, 'no more elements are held than before', [before, after]);
    ok(after.listeners <= before.listeners + 30, 'nor listeners', [before, after]);
    ok(after.heap <= before.heap + 8e6, 'nor much of anything', [before, after]);

    // A view that is drawn again and again.
    await view(page, store, '#/pool');
    await page.waitForSelector('.plot canvas');
    const once = await held();
    for (let i = 0; i < 30; i++) {
        await page.evaluate(() => { document.querySelector('.plot').firstElementChild.id = 'before'; document.dispatchEvent(new Event('visibilitychange')); });
        await page.waitForFunction(() => !document.getElementById('before') && Boolean(document.querySelector('.plot canvas')));
    }
    const often = await held(once.nodes + 500, once.listeners + 30);
    ok(often.nodes <= once.nodes + 500 && often.listeners <= once.listeners + 30, 'nor when figures are drawn anew', [once, often]);
    is(problemsOf(page), [], 'nothing was wrong with any of it');
});
