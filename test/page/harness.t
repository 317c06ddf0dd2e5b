#!/usr/bin/env node
// The harness notices what it is there for: pages that are wrong in one way each, of a server of two dozen lines.
'use strict';
const http = require('http');
const { atEnd, go, is, launch, like, ok, open, problemsOf, run, sound, Store, violationsOf } = require('./harness');

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src *; require-trusted-types-for 'script'";
const page = (head, body) => `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<link rel="icon" href="data:,">${head}</head><body><main><h1>A page</h1>${body}</main></body></html>`;
const pages = {
    '/good': page('', '<p>All is well.</p>'),
    '/console': page('<script src="console.js"></script>', ''),
    '/exception': page('<script src="exception.js"></script>', ''),
    '/inline': page('<script>document.title = "inline"</script>', ''),
    '/markup': page('<script src="markup.js" defer></script>', ''),
    '/elsewhere': page('<script src="elsewhere.js"></script>', ''),
    '/missing': page('<script src="nothing.js"></script>', ''),
    '/unreadable': page('<link rel="stylesheet" href="faint.css">', '<p>Faint</p><button></button>'),
    '/console.js': 'console.error("something is wrong");',
    '/exception.js': 'nothing.at.all;',
    '/markup.js': 'try { document.body.innerHTML = "<b>no</b>"; } catch { document.title = "refused"; }',
    '/elsewhere.js': 'fetch("http://127.0.0.1:9/").catch(() => {});',
    '/faint.css': 'p { color: #ddd; background: #fff }',
};

run(async () => {
    const server = http.createServer((request, answer) => {
        const text = pages[request.url];
        const type = /\.js$/.test(request.url) ? 'text/javascript' : /\.css$/.test(request.url) ? 'text/css' : 'text/html';
        answer.writeHead(text === undefined ? 404 : 200, { 'Content-Type': type, 'Content-Security-Policy': policy }).end(text);
    });
    await new Promise(done => server.listen(0, '127.0.0.1', done));
    atEnd(() => { server.closeAllConnections(); server.close(); });
    const url = `http://127.0.0.1:${server.address().port}`;
    const browser = await launch();
    const shown = await open(browser);
    await go(shown, `${url}/good`);
    await sound(shown, 'a page without faults');
    for (const [name, wanted] of [['console', /console: something is wrong/], ['exception', /exception: ReferenceError/],
        ['inline', /policy: script-src-elem forbids inline/], ['markup', /policy: require-trusted-types-for/],
        ['elsewhere', /a request to elsewhere: http:\/\/127\.0\.0\.1:9\//], ['missing', /console: Failed to load resource/]]) {
        await go(shown, `${url}/${name}`);
        await shown.waitForLoadState('networkidle');
        like(problemsOf(shown).join('\n'), wanted, `${name} is noticed`);
    }
    is(await shown.title(), 'A page', 'and titles are as they were');
    await go(shown, `${url}/unreadable`);
    const found = (await violationsOf(shown)).join('\n');
    like(found, /color-contrast/, 'faint text is noticed');
    like(found, /button-name/, 'a button without a name is noticed');

    const store = new Store();
    await store.serve();
    is((await store.ask('GET', '/healthz')).status, 200, 'the server answers');
    like(await store.door(), /^http:\/\/127\.0\.0\.1:\d+\/.*#t=\w+$/, 'and has a way in for the page');
    await store.stop();
    ok(store.gone, 'and ends when it is told to');
});
