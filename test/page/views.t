#!/usr/bin/env node
// The page of a store with failures, evictions and names that want to be markup: each view, light, dark and narrow, by the
// keyboard, and what another origin gets.
'use strict';
const fs = require('fs');
const { eventually, go, is, launch, like, ok, open, problemsOf, run, sound } = require('./harness');
const { command, hostile, stocked, view } = require('./stock');

/** In the page: what parts of a bar, or of a drawing, look like but for their colours. */
function looks() {
    const bar = document.createElement('div'), svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    bar.className = 'bar';
    svg.classList.add('draw');
    document.querySelector('main').append(bar, svg);
    const plain = text => text.replace(/rgba\(\d+, \d+, \d+, 0\)/g, 'none').replace(/rgba?\([^)]*\)/g, 'coloured');
    const of = (one, keys) => plain(keys.map(key => getComputedStyle(one)[key]).join('; '));
    const all = ['good', 'bad', 'busy', 'waiting', 'idle', 'new', 'reused'].map(word => {
        const part = bar.appendChild(document.createElement('i'));
        part.className = word;
        return ['bar', word, of(part, ['backgroundColor', 'backgroundImage', 'backgroundClip', 'boxShadow', 'borderTopStyle', 'borderBottomStyle', 'paddingTop'])];
    });
    for (const word of ['good', 'bad', 'busy', 'waiting', 'idle']) {
        const part = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'rect'));
        part.classList.add(word);
        all.push(['drawing', word, of(part, ['fillOpacity', 'stroke', 'strokeDasharray'])]);
    }
    bar.remove();
    svg.remove();
    return all;
}

/** In the page: what a reader at this width has to put together by himself. */
function unclear() {
    const far = [...document.querySelectorAll('label')].filter(label => {
        const [a, b] = [label, label.control].map(one => one.getBoundingClientRect());
        return Math.abs(a.top + a.height / 2 - b.top - b.height / 2) > b.height / 2;
    }).map(label => `label ${label.textContent}`);
    const torn = [...document.querySelectorAll('td .cut')].filter(cell => {
        const range = document.createRange(), word = /^\S{1,10}(?=\s|$)/.exec(cell.textContent), text = [...cell.childNodes].find(node => node.nodeType === 3 && node.length);
        if (!word || !text)
            return false;
        range.setStart(text, 0);
        range.setEnd(text, word[0].length);
        return new Set([...range.getClientRects()].map(line => Math.round(line.top))).size > 1;
    }).map(cell => `word ${cell.textContent.slice(0, 20)}`);
    return [...far, ...torn, ...document.documentElement.scrollWidth > innerWidth ? ['the page'] : []];
}

run(async () => {
    const store = await stocked();
    const browser = await launch('--host-resolver-rules=MAP evil.test 127.0.0.1');
    const page = await open(browser);
    await go(page, await store.door());
    await page.waitForSelector('h1');
    is(problemsOf(page), [], 'the page opens');
    const files = await page.evaluate(() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].filter(one => !/\/v1\//.test(one.name)).map(one => [one.name, one.encodedBodySize]));
    const size = files.reduce((sum, [, bytes]) => sum + bytes, 0);
    ok(files.length > 20 && files.every(([, bytes]) => bytes > 0) && size <= 100000, `all of the page is ${size} bytes as it is sent, of at most 100,000`, files);
    ok(!/t=/.test(page.url()), 'its code does not stay in the address');
    await page.reload();
    await page.waitForSelector('header nav');
    like(await page.locator('h1').textContent(), /Now/, 'the tab stays signed in');

    const hash = (await store.ask('GET', '/v1/datasets?limit=1')).json.items[0].hash;
    const views = { now: '#/', workflows: '#/workflows', 'workflows that failed': '#/workflows?state=FAILED&name=fails', users: '#/users', archive: '#/archive', admin: '#/admin',
        errors: '#/errors', 'errors by node': '#/errors?by=node', 'errors by name': '#/errors?by=name&days=30', 'attempts that failed': '#/errors?list=1', pool: '#/pool', datasets: '#/datasets', dataset: `#/datasets/${hash}` };
    for (const [name, where] of Object.entries(views)) {
        await view(page, store, where);
        ok(!await page.locator('.notice.wrong').count(), `${name}: no error is shown`, await page.locator('main').textContent());
        await sound(page, name);
    }
    ok(await page.evaluate(text => document.body.textContent.includes(text), hostile.slice(0, 60)), 'a hostile name is text');
    is(await page.evaluate(() => document.querySelectorAll('main img, main script').length), 0, 'and nothing but text');
    await page.goto(`${store.url}/#/datasets/${(await store.ask('GET', '/v1/workflows/3/actions')).json.items[1].hash}`);
    ok(await page.waitForSelector('h2:text("Who reads it") + * a[href$="/actions/3"]').catch(() => false), 'a dataset tells who reads it');
    await view(page, store, `#/datasets/${(await store.ask('GET', `/v1/workflows/${store.hostile}/actions`)).json.items[1].hash}`);
    is(await page.locator('[aria-label=Dataset] tr:has-text("Differed") td').last().textContent(), 'it was made once', 'what was made once is not said to have been made again');

    // Errors of a day, of a node on it, and their attempts: PanDA's requests.
    const failed = (await store.ask('GET', '/v1/errors/attempts')).json.items, [{ ended, node }] = failed, day = ended.slice(0, 10), ofDay = failed.filter(one => one.ended.startsWith(day)).length;
    await view(page, store, '#/errors');
    await page.fill('#day', day);
    await page.press('#day', 'Enter');
    const drawn = part => page.waitForFunction(at => document.getElementById('app').dataset.at?.includes(at), part);
    await drawn(`day=${day}`);
    ok(await page.waitForFunction(n => document.querySelector('main .figures b').textContent === String(n), ofDay).catch(() => false), 'a day is chosen by the keyboard, and its failures are counted', ofDay);
    await page.click('button:text("by node")');
    await drawn('by=node');
    await page.click('td a:has-text("list")');
    await drawn('list=1');
    like(await page.locator('h1').textContent(), /Attempts that failed/, 'and a list of its attempts');
    is(await page.locator('main tbody tr').count(), failed.filter(one => one.ended.startsWith(day) && one.node === node).length, 'a node has its list of that day');
    like(await page.locator('main').textContent(), new RegExp(`day ${day}.*node ${node}`, 's'), 'which says of what it is');
    await page.click('a:text("All errors")');
    await page.waitForSelector('h1:text("Errors")');
    await view(page, store, '#/errors?day=2001-01-01');
    like(await page.locator('main').textContent(), /Nothing has failed on 2001-01-01/, 'another day has none');
    await view(page, store, '#/errors?day=2001-01-01&list=1');
    like(await page.locator('main').textContent(), /No such attempt failed then/, 'nor attempts');

    // No meaning in colour alone.
    const alike = await page.evaluate(looks), kinds = alike.map(([where, , look]) => `${where}: ${look}`);
    is([alike.length, new Set(kinds).size], [12, 12], 'states differ in more than their colours, in bars and in drawings');

    // Printed, nothing is cut off.
    await page.emulateMedia({ media: 'print' });
    await view(page, store, '#/workflows');
    is(await page.locator('.wide').evaluateAll(all => all.map(one => getComputedStyle(one).overflowX)), ['visible'], 'of a table all columns are printed');
    await page.emulateMedia({ media: 'screen' });

    // A label stands beside its field, a word of a table stays whole, and nothing but a table is wider than the window.
    for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        for (const [name, where] of Object.entries({ workflows: '#/workflows', pool: '#/pool', errors: '#/errors', admin: '#/admin', action: `#/workflows/${store.failed}/actions/1` })) {
            await view(page, store, where);
            is(await page.evaluate(unclear), [], `${name}, ${width} pixels: nothing is torn apart`);
        }
    }
    await page.setViewportSize({ width: 1280, height: 900 });

    // What is new comes by itself, to two tabs over one stream.
    const second = await page.context().newPage(), workflows = `${store.url}/#/workflows?state=FINISHED`;
    second.on('pageerror', error => page.problems.push(`exception: ${error}`));
    await go(second, await store.door());
    await second.waitForSelector('header nav');
    for (const tab of [page, second]) {
        await tab.goto(workflows);
        await tab.waitForSelector('table');
    }
    const streams = async () => /^pingo_event_streams (\d+)$/m.exec((await store.ask('GET', '/metrics')).body)?.[1];
    ok(await eventually(async () => await streams() === '1'), 'two tabs have one stream of events', await streams());
    store.submit('comes later', [command(1, 'echo later >output')]);
    for (const tab of [page, second])
        ok(await tab.waitForFunction(() => document.querySelector('main').textContent.includes('comes later')).catch(() => false), 'what was submitted meanwhile is there once it has ended');
    const other = await second.context().newPage();
    await page.close();
    await other.close();
    store.submit('comes last', [command(1, 'echo last >output')]);
    ok(await second.waitForFunction(() => document.querySelector('main').textContent.includes('comes last')).catch(() => false), 'the tab that is left goes on by itself');

    // What came of a setting is seen beside it, however far down that is.
    await view(second, store, '#/admin');
    await second.getByLabel('executor.slots', { exact: true }).fill('many');
    await second.getByRole('button', { name: 'Set executor.slots' }).click();
    await second.waitForSelector('main [role=alert]');
    like(await second.locator('main [role=alert]').textContent(), /executor.slots: "many" is not a whole number/, 'a setting that cannot be is refused');
    ok(await second.evaluate(() => window.scrollY > 0 && document.querySelector('main [role=alert]').getBoundingClientRect().top >= 0), 'and it is seen where it was set', await second.evaluate(() => [window.scrollY, document.querySelector('main [role=alert]').getBoundingClientRect().top]));
    problemsOf(page);

    // A token by the page: made, told once, revoked.
    await second.fill('#token-name', 'of-the-page');
    await second.getByRole('button', { name: 'Create' }).click();
    like(await second.locator('#made').textContent(), /^pingo_\w{20,}$/, 'a token is made, and told');
    is((await store.ask('GET', '/v1/tokens')).json.items.map(token => [token.name, token.role]), [['of-the-page', 'viewer']], 'it is there, for a viewer');
    second.on('dialog', dialog => dialog.accept());
    await second.getByRole('button', { name: 'Revoke of-the-page' }).click();
    await second.waitForFunction(() => !document.querySelector('[aria-label^="Revoke "]'));
    is((await store.ask('GET', '/v1/tokens')).json.items, [], 'and is revoked');

    // What is shown of a dataset is its beginning, and no more of it is asked for.
    const large = store.submit('=HYPERLINK("a")', [command(1, 'head -c 300000 /dev/zero | tr "\\0" y >output')]);
    const of = async path => (await store.ask('GET', path)).json;
    ok(await eventually(async () => (await of(`/v1/workflows/${large}`)).state === 'FINISHED'), 'a large dataset is made');
    await second.goto(`${store.url}/#/datasets/${(await of(`/v1/workflows/${large}/actions`)).items[0].hash}`);
    await second.route('**/content', route => route.abort(), { times: 1 });
    await second.getByRole('button', { name: 'Show' }).click();
    like(await second.locator('main [role=alert]').textContent(), /The server does not answer/, 'a content that does not come is told of');
    problemsOf(page);
    const content = second.waitForResponse(answer => answer.url().endsWith('/content'));
    await second.getByRole('button', { name: 'Show' }).click();
    is((await content).headers()['content-range'], 'bytes 0-65535/300000', 'the beginning is asked for');
    ok(await second.waitForFunction(() => document.querySelector('main').textContent.includes('Only the first')).catch(() => false), 'and shown as such');
    is(await second.locator('main pre').last().evaluate(pre => pre.textContent), 'y'.repeat(65536), 'all of that');
    is(await second.locator('main [role=alert]').count(), 0, 'and no more of what was wrong before');

    const whole = second.waitForEvent('download');
    await second.getByRole('button', { name: 'Save' }).click();
    is(fs.statSync(await (await whole).path()).size, 300000, 'saved is all of it');

    // What is evicted while the pool is looked at is in its list: there is no room beside what is large.
    await view(second, store, '#/pool');
    const evictions = () => second.locator('[aria-label=Evictions] tbody tr').count(), gone = await evictions();
    store.submit('makes room', [command(1, 'head -c 30000 /dev/zero >output'), command(2, 'wc -c <in/p1 >output', [1])]);
    ok(await eventually(async () => await evictions() > gone), 'what is evicted meanwhile is listed', gone);
    ok(await second.evaluate(() => [...document.querySelectorAll('.bar')].every(bar => Math.abs([...bar.children].reduce((sum, part) => sum + part.offsetWidth, 0) - bar.clientWidth) <= bar.children.length + 1)), 'the parts of a bar fill it');

    // A name that a spreadsheet would take for a formula is text in the CSV, too.
    await second.goto(`${store.url}/#/workflows?state=FINISHED`);
    await second.waitForFunction(() => document.querySelector('main').textContent.includes('=HYPERLINK'));
    const saved = second.waitForEvent('download');
    await second.getByRole('button', { name: 'CSV' }).click();
    const rows = fs.readFileSync(await (await saved).path(), 'utf8');
    ok(rows.includes(',"\'=HYPERLINK(""a"")"') && !/(^|,)"?=/m.test(rows), 'no cell of a CSV begins as a formula', rows.slice(0, 3000));

    // What moved to the archive is told as before, and the files that it is in.
    const cells = async () => {
        await view(second, store, '#/archive');
        return (await second.locator('[aria-label^="Submitted in"] tbody tr').allTextContents()).map(row => row.replace(/\s+/g, ' '));
    };
    await eventually(async () => (await of('/v1/workflows?state=RUNNING')).items.length === 0);
    const before = await cells();
    ok(before.length > 5 && /Nothing has moved to files yet/.test(await second.locator('main').textContent()), 'the archive lists what was submitted in a month');
    ok(await eventually(async () => store.tried('archive', '-q', '--now', '--before', new Date(Date.now() + 60000).toISOString()).status === 0 && (await of('/v1/archive')).items.some(file => file.workflows > 0)), 'what may, moves');
    await second.goto('about:blank');
    await go(second, await store.door());
    await second.waitForSelector('header nav');
    is(await cells(), before, 'the same when it has moved');
    like(await second.locator('[aria-label=Files] tbody').textContent(), /\d{4}-\d\d\.db/, 'to files that are listed');
});
