// api.js - what views are given to ask with, and to hear of changes: one stream of events a tab, closed while it is hidden.
import { ask, follow, get, me, report, text } from './source.js';

const listeners = new Set();
// One tab of those that are shown follows and tells the others: a browser has six connections for all of them.
const channel = report ? undefined : new BroadcastChannel('pingo');
let stream;

const tell = said => listeners.forEach(hear => hear(...said));
if (channel)
    channel.onmessage = said => stream && tell(said.data);

function start() {
    if (report || stream || document.hidden || listeners.size === 0)
        return;
    stream = new AbortController();
    const { signal } = stream;
    const lead = () => follow('/v1/events', (event, data) => {
        if (signal.aborted)
            return;
        tell([event, data]);
        if (event !== 'out') // another tab has a token of its own
            channel.postMessage([event, data]);
    }, signal);
    if (navigator.locks)
        navigator.locks.request('pingo-events', { signal }, lead).catch(() => {});
    else
        lead();
}
function stop() {
    stream?.abort();
    stream = undefined;
}
document.addEventListener('visibilitychange', () => document.hidden ? stop() : (start(), listeners.forEach(hear => hear('reset', '{}'))));

/** hear(event, data) until the signal is given. */
export function listen(hear, until) {
    if (until.aborted)
        return;
    listeners.add(hear);
    until.addEventListener('abort', () => {
        listeners.delete(hear);
        if (listeners.size === 0)
            stop();
    }, { once: true });
    start();
}

/** Submits a workflow's text once more: its new number. */
const rerun = async workflow => (await (await ask('POST', `/v1/workflows/${encodeURIComponent(workflow)}/rerun`)).json()).workflow;

/** The number of a submission, which an address may call last: what is shown, and what is done, stays with one, whatever is submitted meanwhile. */
const numberOf = async workflow => /^\d+$/.test(workflow) ? Number(workflow) : (await get(`/v1/workflows/${encodeURIComponent(workflow)}`)).workflow;

/** Why who looks may not change what is this user's, or, without a user, make something of his own; '' where he may.  The server decides: this is for what is shown. */
async function refusal(owner) {
    const { user, role } = await me().catch(() => ({ role: 'admin' }));
    if (role === 'viewer')
        return 'With a token for viewers nothing can be changed.';
    return role === 'admin' || owner === undefined || owner === user ? '' : `This is of ${owner}, who alone may change it, beside admins.`;
}

export const api = { get, listen, me, numberOf, refusal, rerun, send: ask, text };
