#!/usr/bin/env node
// Reports and simulations as one file each, opened from a disk: they draw themselves, ask for nothing, and say what the commands say.
'use strict';

const { pathToFileURL } = require('url');
const { go, is, launch, like, ok, open, run, sound } = require('./harness');
const { hostile, rtl, stocked } = require('./stock');

run(async () => {
    const store = await stocked({ serve: false });
    const browser = await launch();
    const page = await open(browser);
    const show = async (name, said) => {
        is([said.status, said.stdout], [0, ''], `${name} is written`);
        await go(page, pathToFileURL(store.file(`${name}.html`)).href);
        await page.waitForFunction(() => document.documentElement.dataset.ready);
        await sound(page, name);
        return page.evaluate(() => document.querySelector('main').textContent);
    };

    // A run with reuse.
    let text = await show('chain', store.tried('report', '3', '--html', 'chain.html'));
    const status = JSON.parse(store.pingo('status', '3', '--json'));
    const { compute, reuse, skip } = status.summary;
    ok(reuse > 0 && compute > 0, 'the third run reuses, and computes');
    ok(text.includes(`${compute}computed${reuse}reused${skip}not needed`), 'which its report tells', text);
    ok(text.includes(`${reuse + skip}cache hits`), 'with the cache hits', text);
    like(text, /\d ms|\d s/, 'and what they saved');
    is(await page.locator('svg[aria-label^="Graph of"]').count(), 1, 'it draws its graph');
    is(await page.locator('svg[aria-label^="Timeline"] rect').count(), compute, 'and a timeline of what ran');
    is(await page.locator('a[href^="#/"]').count(), 0, 'no link leads to views that a file has not');
    is((await page.locator('[aria-label=Actions] tbody tr').count()), 3, 'each action has a row');

    // One that failed.
    text = await show('fails', store.tried('report', String(store.failed), '--html', 'fails.html'));
    like(text, /6failed/, 'failures are counted');
    is(await page.locator('[aria-label=Failures] tbody tr').count(), 6, 'and listed');

    // Names that want to be more than names.
    text = await show('hostile', store.tried('report', String(store.hostile), '--html', 'hostile.html'));
    ok(text.includes(hostile.slice(0, 60)) && text.includes(rtl), 'hostile names are text');
    is(await page.locator('main img, main script').count(), 0, 'and nothing but text');
    like(await page.title(), /^<img/, 'which has changed no title');
    ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth + 1), 'and makes the page no wider');

    // A period.
    text = await show('period', store.tried('report', '--html', 'period.html'));
    const report = JSON.parse(store.pingo('report', '--json'));
    like(text, new RegExp(`${(report.hitRate * 100).toFixed(1)} %`), 'the hit rate is that of the command');
    is(await page.locator('[aria-label=Evictions] tbody tr').count(), report.evictions, 'each eviction has a row');
    ok(await page.locator('.plot canvas').count() >= 2, 'what was held, saved and lost is drawn');
    like(text, /Most regretted/, 'and what is regretted told');

    // A simulation.
    const name = '<svg onload=alert(1)>"&\'.jsonl';
    store.pingo('generate', '--family', 'iter-n', '--set', 'workflows=40', '-o', name);
    text = await show('simulation', store.tried('simulate', '-q', name, '--algorithm', 'chain,lru,clairvoyant', '-b', '10%,2%,25%', '--csv', '--html', 'simulation.html').status === 0
        ? { status: 0, stdout: '' } : store.tried('simulate', name));
    ok(text.includes('<svg onload=alert(1)>'), 'a history has any name');
    like(text, /For at most 5 % recomputation: .* of storage with (chain|lru)\./, 'the question is answered');
    is(await page.locator('[aria-label="The least budgets"] tbody tr').count(), 3, 'with the least budgets');
    is(await page.locator('[aria-label="All runs"] tbody tr').count(), 9, 'and all runs');
    is(await page.locator('.plot canvas').count(), 2, 'drawn');
});
