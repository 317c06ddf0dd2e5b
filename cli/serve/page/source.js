// source.js - where answers come from: the server, or the document that a report holds.

const inlined = document.getElementById('answers');
/** Of a report: { view, parameters, answers }; else null. */
export const report = inlined ? JSON.parse(inlined.textContent) : null;

class Refused extends Error {
    constructor(status, detail) {
        super(detail);
        this.status = status;
    }
}

let who; // what GET /v1/me told of the token, once it was asked
const known = new Map(); // path -> { etag, json }, so that what has not changed is not sent again
const MOST = 200;

let token = sessionStorageOf()?.getItem('pingo-token') || '';
function sessionStorageOf() {
    try {
        return window.sessionStorage;
    } catch {
        return undefined; // a file, or a browser that keeps nothing
    }
}
export const isSignedIn = () => Boolean(report || token);

/** The code of an address #t=CODE becomes a token, which is kept for this tab alone. */
export async function signIn(code) {
    const answer = await fetch('/v1/page/token', { method: 'POST', headers: { Authorization: `Bearer ${code}` } });
    if (!answer.ok)
        throw new Refused(answer.status, 'This address was used already, or is older than a minute.');
    keep((await answer.json()).token);
}
export function keep(text) {
    token = text;
    sessionStorageOf()?.setItem('pingo-token', text);
    known.clear();
    who = undefined;
}

/** One request with all that it needs; the answer as it is.  signal: of an AbortController that ends it, and the reading of its answer. */
export async function ask(method, path, body, headers = {}, signal = undefined) {
    const mine = token, options = { method, headers: { Authorization: `Bearer ${mine}`, ...headers }, cache: 'no-store', signal };
    if (!mine)
        throw new Refused(401, 'Who asks has signed out.'); // of a view that was left
    if (body !== undefined) {
        options.headers['Content-Type'] = 'application/json';
        options.body = JSON.stringify(body);
    }
    const answer = await fetch(path, options).catch(error => { throw signal?.aborted ? error : new Error('The server does not answer.'); });
    if (answer.ok || answer.status === 304)
        return answer;
    if (answer.status === 401 && token === mine)
        keep('');
    const told = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, told.detail || `${answer.status} ${answer.statusText}`);
}

function held(path) {
    if (!(path in report.answers))
        throw new Refused(404, 'This report does not hold that.');
    return report.answers[path];
}

/** What a GET answers, as text. */
export const text = async path => report ? held(path) : (await ask('GET', path)).text();

/** What a GET answers, as an object. */
export async function get(path) {
    if (report)
        return held(path);
    const before = known.get(path);
    const answer = await ask('GET', path, undefined, before ? { 'If-None-Match': before.etag } : {});
    if (answer.status === 304)
        return before.json;
    const json = await answer.json(), etag = answer.headers.get('etag');
    known.delete(path);
    if (etag)
        known.set(path, { etag, json });
    if (known.size > MOST)
        known.delete(known.keys().next().value);
    return json;
}

/** Who asks, and as what: { user, role }.  A token is of one role for as long as it is good. */
export function me() {
    who ??= get('/v1/me').catch(error => {
        who = undefined;
        throw error;
    });
    return who;
}

/** The server is never silent for longer than 15 seconds: a stream that is so three times as long hangs. */
const SILENT = 45000;

/** The server's events, for ever: on(event, data, id) for each; a stream that ends, or hangs, is opened again where it was. One that begins
 *  with what comes next is told as a reset: nobody has told of what came before. That the server does not answer is told as lost, and
 *  then that it does, as found; that it knows us no more as out, with why, and nothing after that. */
export async function follow(path, on, signal) {
    let isLost = false;
    for (let last = '', pause = 500; !signal.aborted && !report;) {
        const hangs = new AbortController();
        let alarm;
        const hear = () => {
            clearTimeout(alarm);
            alarm = setTimeout(() => hangs.abort(), SILENT);
        };
        try {
            hear();
            const answer = await ask('GET', path, undefined, last ? { 'Last-Event-ID': last } : {}, AbortSignal.any([signal, hangs.signal]));
            const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
            if (!last)
                on('reset', '{}', '');
            else if (isLost)
                on('found', '{}', last);
            isLost = false;
            let rest = '';
            for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
                hear();
                const blocks = (rest + piece.value).split('\n\n');
                rest = blocks.pop();
                for (const block of blocks) {
                    const lines = block.split('\n').map(line => line.split(/: ?(.*)/s));
                    const value = key => lines.filter(line => line[0] === key).map(line => line[1]).join('\n');
                    last = value('id') || last;
                    if (value('data') || value('event'))
                        on(value('event'), value('data'), last);
                }
                pause = 500;
            }
        } catch (error) {
            if (signal.aborted)
                return;
            if (error.status === 401 || error.status === 403) {
                on('out', error.message, last);
                return;
            }
            if (!isLost)
                on('lost', '{}', last);
            isLost = true;
        } finally {
            clearTimeout(alarm);
        }
        await new Promise(done => setTimeout(done, pause));
        pause = Math.min(pause * 2, 15000);
    }
}
