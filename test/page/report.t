#!/usr/bin/env node
// Reports and simulations as one file each, opened from a disk: they draw themselves, ask for nothing, and say what the commands say.
'use strict';

const { pathToFileURL } = require('url');
const { go, is, launch, like, ok, open, run, sound } = require('./harness');
const { command, hostile, rtl, stocked } = require('./stock');

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

    // A run with reuse, of a result that stays, however long each takes; and what goes where there is no room, and is made again.
    const first = command(1, 'echo first >output');
    store.submit('chain', [first], ['run', '-q']);
    const chain = String(store.submit('chain', [first, command(2, 'cat in/p1 >output', [1]), command(3, 'cat in/p2 >output', [2])], ['run', '-q']));
    store.pingo('config', 'pool.budget', '1K');
    for (const word of ['goes', 'comes', 'goes']) {
        store.submit(word, [command(1, `sleep 0.1; echo ${word}; head -c 20480 /dev/zero >output`), command(2, 'wc -c <in/p1 >output', [1])], ['run', '-q']);
        store.pingo('release', 'last');
    }
    let text = await show('chain', store.tried('report', chain, '--html', 'chain.html'));
    const status = JSON.parse(store.pingo('status', chain, '--json'));
    const { compute, reuse, skip } = status.summary;
    ok(reuse > 0 && compute > 0, 'a run reuses, and computes');
    ok(text.includes(`${compute}computed${reuse}reused${skip}not needed`), 'which its report tells', text);
    ok(text.includes(`${reuse + skip}cache hits`), 'with the cache hits', text);
    like(text, /\d ms|\d s/, 'and what they saved');
    like(text, new RegExp(`${compute} finished, ${reuse} reused(, ${skip} not needed)?`), 'its bar is told in words');
    is(await page.locator('svg[aria-label^="Graph of"]').count(), 1, 'it draws its graph');
    is(await page.locator('svg[aria-label^="Timeline"] rect').count(), compute, 'and a timeline of what ran');
    is(await page.locator('a[href^="#/"]').count(), 0, 'no link leads to views that a file has not');
    is((await page.locator('[aria-label=Actions] tbody tr').count()), 3, 'each action has a row');

    // One that failed.
    text = await show('fails', store.tried('report', String(store.failed), '--html', 'fails.html'));
    like(text, /6failed/, 'failures are counted');
    is(await page.locator('[aria-label=Failures] tbody tr').count(), 6, 'and listed');
    is(await page.locator('details pre').allTextContents(), [1, 2, 3, 4, 5, 6].map(n => `cannot read /data/${n}/<b>x</b>.dat: error 0x${n}f`), 'with what each said last');

    // Much, of which the end counts; nothing; bytes that are no text; and more failures than are told.
    const shouts = [`seq 1 3000 >&2; exit 1`, 'exit 2', `printf 'a\\377\\000\\033b</script>' >&2; exit 3`, ...Array(20).fill('echo no >&2; exit 4')];
    const loud = store.submit('loud', shouts.map((shout, i) => ({ id: i + 1, name: `loud ${i}`, type: 'command-line', command: `: ${i}; ${shout}` })));
    store.tried('run', '--all', '-q');
    text = await show('loud', store.tried('report', String(loud), '--html', 'loud.html'));
    const said = await page.locator('details pre').allTextContents();
    is(said[0], [...Array(20).keys()].map(i => 2981 + i).join('\n'), 'of much the end');
    is([said[1], said.length], ['a\ufffd\ufffd\ufffdb</script>', 19], 'what is no text is shown as such');
    like(text, /holds nothing/, 'who said nothing is told to have said nothing');
    like(text, /What the first 20 of them said last/, 'and of many failures the first');

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
