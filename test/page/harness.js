// harness.js - what the tests of the page share: TAP, a store with its server, and a Chromium that forgives nothing.
//
// A page is watched from its first byte: a console error, an uncaught exception, a report of the content policy, a request
// to another host, and what axe finds against WCAG A and AA are failures of the test.  Every wait has a limit; what was
// started here is ended here, by its pid.
'use strict';
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const { spawn, spawnSync } = require('child_process');
const { createRequire } = require('module');

const root = path.resolve(__dirname, '../..');
const build = path.resolve(root, process.env.BUILD || 'build');
const pingo = path.resolve(process.env.PINGO || path.join(build, 'pingo'));
const tools = path.join(build, 'page-tools', 'node_modules');
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(file => fs.existsSync(file));
delete process.env.PINGO_DIR;
delete process.env.NO_COLOR;

const seconds = n => new Promise(done => setTimeout(done, n * 1000));

/** Waits until the code gives something true; gives that, or undefined after the limit. */
async function eventually(code, limit = 600) {
    for (const last = Date.now() + limit * 1000; Date.now() < last; await seconds(0.05)) {
        const got = await code();
        if (got)
            return got;
    }
    return undefined;
}

// ---- TAP ------------------------------------------------------------------------------------------

let ntests = 0, nfailed = 0;
const note = text => process.stdout.write(String(text).replace(/^/gm, '# ') + '\n');

/** A test; detail is told where it fails. */
function ok(pass, name, detail) {
    nfailed += pass ? 0 : 1;
    process.stdout.write(`${pass ? 'ok' : 'not ok'} ${++ntests} - ${name.replace(/#/g, 'no. ')}\n`);
    if (!pass && detail !== undefined)
        note(typeof detail === 'string' ? detail : JSON.stringify(detail, null, 1));
    return Boolean(pass);
}
function is(got, wanted, name) {
    const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
    return ok(a === b, name, `got ${a}, wanted ${b}`);
}
function like(got, wanted, name) {
    return ok(wanted.test(String(got)), name, `got ${JSON.stringify(String(got).slice(0, 2000))}, wanted ${wanted}`);
}

const endings = [];
/** What is to be done when the test ends, the last said first. */
const atEnd = ending => endings.push(ending);

async function end(status) {
    while (endings.length > 0)
        await Promise.race([Promise.resolve(endings.pop()()).catch(error => note(error)), seconds(15)]);
    process.stdout.write(`1..${ntests}\n`);
    process.exit(status || (nfailed ? 1 : 0));
}

/** Runs a file of tests, which needs a tool of npm: skipped, loudly, where that is not there, or no browser for it to drive, but never with CI=true. */
function run(tests, tool = 'playwright-core') {
    const limit = 1700, missing = tool === 'playwright-core' && !chromium ? 'chromium' : !fs.existsSync(path.join(tools, tool)) ? `${tool} of npm (test/page/fetch)` : '';
    if (missing && process.env.CI === 'true') {
        ok(false, `CI needs it, and there is no ${missing}`);
        return end(1);
    }
    if (missing) {
        process.stderr.write(`\nTHE PAGE IS NOT TESTED: there is no ${missing}.\n\n`);
        process.stdout.write(`1..0 # SKIP no ${missing}\n`);
        return undefined;
    }
    setTimeout(() => (ok(false, `it took more than ${limit} s`), end(1)), limit * 1000).unref();
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
        process.on(signal, () => end(1));
    return tests().then(() => end(0), error => (ok(false, 'the tests end', error.stack), end(1)));
}

// ---- a store and its server -----------------------------------------------------------------------

/** The helper processes of a store, which outlive who started them. */
function helpersOf(directory) {
    return fs.readdirSync('/proc').filter(pid => /^\d+$/.test(pid)).map(Number).filter(pid => {
        try {
            const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
            return /pingo-(?:supervisor|worker)$/.test(words[0]) && words.includes(path.join(directory, '.pingo'));
        } catch {
            return false;
        }
    });
}

/** A store in a directory of its own, with a server of it once serve() was called. */
class Store {
    constructor(settings = {}) {
        this.directory = fs.mkdtempSync(path.join(os.tmpdir(), 'pingo-page-'));
        atEnd(() => this.remove());
        this.pingo('init');
        for (const [key, value] of Object.entries({ 'executor.slots': 2, sandbox: 'off', ...settings }))
            this.pingo('config', key, String(value));
    }

    /** One command, which must succeed; gives what it printed. */
    pingo(...words) {
        const done = this.tried(...words);
        if (done.status !== 0)
            throw new Error(`pingo ${words.join(' ')}: ${done.status ?? done.signal}\n${done.stderr}`);
        return done.stdout.trim();
    }
    tried(...words) {
        return spawnSync(pingo, words, { cwd: this.directory, encoding: 'utf8', timeout: 600000, maxBuffer: 1 << 30 });
    }
    file(name) {
        return path.join(this.directory, name);
    }
    /** Writes a workflow and submits it, or runs it; gives its number. */
    submit(name, actions, command = ['submit']) {
        fs.writeFileSync(this.file('workflow.json'), JSON.stringify({ name, actions }));
        this.pingo(...command, 'workflow.json');
        return JSON.parse(this.pingo('status', 'last', '--json')).workflow;
    }

    /** Starts the server on a free port of loopback. */
    async serve(...options) {
        const log = fs.openSync(this.file('serve.err'), 'w');
        this.server = spawn(pingo, ['serve', '--port', '0', ...options], { cwd: this.directory, stdio: ['ignore', log, log] });
        fs.closeSync(log);
        this.server.on('exit', () => { this.gone = true; });
        const said = await eventually(() => this.gone ? ' ' : (/^serving/m.test(this.said()) && this.said()));
        this.url = /^TCP[^\n]*(http:\/\/127\.0\.0\.1:\d+)/m.exec(said || '')?.[1];
        if (!this.url)
            throw new Error(`the server does not start: ${this.said()}`);
        return this.url;
    }
    said() {
        return fs.readFileSync(this.file('serve.err'), 'utf8');
    }
    /** Asks over the store's socket, as its owner: { status, headers, body, json }. */
    ask(method, where, body) {
        return new Promise((done, failed) => {
            const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
            const request = http.request({ socketPath: this.file('.pingo/serve.sock'), method, path: where, headers, timeout: 600000 }, answer => {
                const pieces = [];
                answer.on('data', piece => pieces.push(piece)).on('end', () => {
                    const text = Buffer.concat(pieces).toString();
                    const isJson = /json/.test(answer.headers['content-type'] || '') && !/ndjson/.test(answer.headers['content-type']);
                    done({ status: answer.statusCode, headers: answer.headers, body: text, json: isJson && text ? JSON.parse(text) : undefined });
                });
            });
            request.on('error', failed).on('timeout', () => request.destroy(new Error('no answer'))).end(body);
        });
    }
    /** The address at which the page opens and may ask everything: good once, and for a minute. */
    async door() {
        return (await this.ask('POST', '/v1/page/code')).json.url;
    }
    async stop() {
        if (!this.server || this.gone)
            return;
        this.server.kill('SIGTERM');
        if (!await eventually(() => this.gone, 8))
            this.server.kill('SIGKILL');
    }
    async remove() {
        await this.stop();
        await eventually(() => {
            const left = helpersOf(this.directory);
            left.forEach(pid => { try { process.kill(pid, 'SIGKILL'); } catch { /* it has just ended */ } });
            return left.length === 0;
        }, 5);
        if (process.env.PAGE_KEEP)
            return note(`kept: ${this.directory}`);
        spawnSync('chmod', ['-R', 'u+w', this.directory]);
        return fs.rmSync(this.directory, { recursive: true, force: true });
    }
}

// ---- the browser ----------------------------------------------------------------------------------

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];

/** Starts Chromium with a profile of its own. */
async function launch(...more) {
    const { chromium: driver } = createRequire(path.join(tools, 'x'))('playwright-core');
    const browser = await driver.launch({ executablePath: chromium, headless: true, args: [...flags, ...more], timeout: 600000 });
    atEnd(() => browser.close());
    return browser;
}

/** A page that is watched; look: playwright's options of a context (colorScheme, viewport, ...). */
async function open(browser, look = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...look });
    const page = await context.newPage();
    page.setDefaultTimeout(600000);
    page.problems = [];
    page.allowed = undefined;
    await context.addInitScript(() => document.addEventListener('securitypolicyviolation', event => {
        console.error(`policy: ${event.effectiveDirective} forbids ${event.blockedURI} ${event.sample}`);
    }));
    page.on('console', said => said.type() === 'error' && page.problems.push(`console: ${said.text()} (${said.location().url})`));
    page.on('pageerror', error => page.problems.push(`exception: ${error.stack || error}`));
    page.on('crash', () => page.problems.push('the page crashed'));
    context.on('request', request => {
        const url = new URL(request.url());
        const isOurs = ['data:', 'blob:', 'about:'].includes(url.protocol) || url.origin === page.allowed || url.protocol === 'file:' && page.allowed === 'file:';
        if (!isOurs)
            page.problems.push(`a request to elsewhere: ${request.url()}`);
    });
    return page;
}

/** Goes to an address, whose origin alone may be asked. */
async function go(page, url) {
    const to = new URL(url);
    page.allowed = to.protocol === 'file:' ? 'file:' : to.origin;
    return page.goto(url, { waitUntil: 'load' });
}

/** What was wrong with a page so far; it is forgotten. */
const problemsOf = page => page.problems.splice(0);

/** What axe finds against WCAG A and AA, as texts. */
async function violationsOf(page) {
    await page.evaluate(fs.readFileSync(path.join(tools, 'axe-core', 'axe.min.js'), 'utf8'));
    const found = await page.evaluate(() => window.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] }));
    return found.violations.map(v => `${v.id}: ${v.help}\n` + v.nodes.slice(0, 5).map(n => `  ${n.target.join(' ')}: ${n.html.slice(0, 300)}\n`
        + `    ${(n.failureSummary || '').replace(/\s+/g, ' ')}`).join('\n'));
}

/** Two tests: nothing was wrong, and everybody can use it. */
async function sound(page, name) {
    const problems = problemsOf(page);
    ok(problems.length === 0, `${name}: nothing is wrong in the console, nothing asks elsewhere`, problems.join('\n'));
    const violations = await violationsOf(page);
    ok(violations.length === 0, `${name}: WCAG A and AA, as far as axe sees`, violations.join('\n'));
}

module.exports = { atEnd, build, eventually, go, is, launch, like, note, ok, open, problemsOf, root, run, seconds, sound, Store, tools, violationsOf };
