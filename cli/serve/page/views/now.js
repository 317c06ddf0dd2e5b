// now.js - what goes on at this moment: who has the slots, what waits, what failed last, how full the pool is.
import { html, nothing } from '../lib/lit-html.js';
import { action, bar, figures, name, notice, state, table, time } from '../parts/parts.js';
import { duration, ms, number, percent, plural, size, sum } from '../parts/text.js';
import { workflowTable } from '../parts/workflows.js';

const LOOKED_AT = 8; // of the running submissions, for what they run
const STATES = 'RUNNING,SUBMITTED,PROCESSING';

/** What runs, the longest first; isAll: nothing else does, as far as was looked. */
async function runningOf(api, workflows) {
    const lists = await Promise.all(workflows.slice(0, LOOKED_AT).map(async row => {
        const page = await api.get(`/v1/workflows/${row.workflow}/actions?state=${STATES}&limit=50`);
        return { rows: page.items.map(item => ({ ...item, workflow: row.workflow, user: row.user })), isAll: !page.next };
    }));
    const rows = lists.flatMap(list => list.rows).sort((a, b) => (ms(a.started) ?? Infinity) - (ms(b.started) ?? Infinity));
    return { rows, isAll: workflows.length <= LOOKED_AT && lists.every(list => list.isAll) };
}

const byExecutor = rows => Object.entries(Object.groupBy ? Object.groupBy(rows, row => row.executor) : rows.reduce((all, row) => ({ ...all, [row.executor]: [...all[row.executor] || [], row] }), {}));

function slots(shares, running) {
    const most = Math.max(1, ...shares.map(row => row.running + row.waiting));
    const busy = shares.filter(row => row.running + row.waiting > 0);
    return html`<h2>Slots</h2>${busy.length === 0 ? notice('Nothing runs, and nothing waits.') : html`
        ${table('By user', [['User', row => html`<a href="#/workflows?user=${encodeURIComponent(row.user)}">${name(row.user)}</a>`], ['Running', row => number(row.running), 'n'], ['Waiting', row => number(row.waiting), 'n'],
        ['', row => bar([['running', row.running, 'busy'], ['waiting', row.waiting, 'waiting'], ['', most - row.running - row.waiting, '']])], ['Part', row => percent(row.part), 'n']], busy)}
        ${running.rows.length === 0 ? nothing : table('By executor', [['Executor', ([executor]) => name(executor ?? 'not yet known')],
        ['Running', ([, rows]) => `${running.isAll ? '' : 'at least '}${number(rows.length)}`, 'n'], ['Nodes', ([, rows]) => number(new Set(rows.map(row => row.node).filter(Boolean)).size), 'n']], byExecutor(running.rows))}`}`;
}

const longest = running => running.rows.length === 0 ? nothing : html`<h2>Running</h2>${table('Running', [['Action', row => action(row.workflow, row.id)], ['Name', row => name(row.name)], ['User', row => name(row.user)],
    ['State', row => state(row.state)], ['Executor', row => name(row.executor ?? '-')], ['Node', row => name(row.node ?? '-')], ['For', row => row.started ? duration(Date.now() - ms(row.started)) : '-', 'n']], running.rows.slice(0, 20))}`;

function failures(errors) {
    const rows = errors.items.filter(row => row.failed > 0 && !row.isOther).sort((a, b) => ms(b.last) - ms(a.last)).slice(0, 5);
    return html`<h2>Last failures</h2>${rows.length === 0 ? notice('Nothing has failed in 24 hours.') : html`${table('Last failures', [['Last', row => time(row.last)], ['Error', row => name(row.text)],
        ['Failed', row => number(row.failed), 'n'], ['Last of them', row => row.examples.length ? action(row.examples[0].workflow, row.examples[0].id) : '-']], rows)}
        <p><a href="#/errors?days=1">All errors of a day</a></p>`}`;
}

function held(pool) {
    const stays = pool.leafBytes + pool.keptBytes + pool.claimedBytes, free = pool.budgetBytes === null ? 0 : Math.max(0, pool.budgetBytes - pool.usedBytes);
    return html`<h2>Pool</h2>${bar([['results, kept or in use', stays, 'good'], ['may go', Math.max(0, pool.usedBytes - stays), 'idle'], ['free', free, '']].map(([word, n, colour]) => [`bytes ${word}`, n, colour]))}
        <p>${size(pool.usedBytes)} used${pool.budgetBytes === null ? ', without a budget' : ` of ${size(pool.budgetBytes)}, ${percent(pool.usedBytes / pool.budgetBytes)}`}; <a href="#/pool">more</a></p>`;
}

export async function Now({ api, draw, title, live }) {
    title('Now');
    const load = async () => {
        const [shares, going, recent, pool, errors] = await Promise.all(['/v1/shares', '/v1/workflows?state=RUNNING&oldestFirst=1&limit=50', '/v1/workflows?limit=5', '/v1/pool', '/v1/errors'].map(path => api.get(path)));
        const running = await runningOf(api, going.items);
        draw(html`<h1>Now</h1>
            ${figures([['running actions', number(sum(shares.items, 'running'))], ['waiting for a slot', number(sum(shares.items, 'waiting'))],
        ['running workflows', `${number(going.items.length)}${going.next ? ' or more' : ''}`], ['failed attempts in 24 hours', number(sum(errors.items, 'failed'))], ['pool', size(pool.usedBytes)]])}
            ${slots(shares.items, running)}
            ${longest(running)}
            ${going.items.length === 0 ? nothing : html`<h2>Queue</h2><p class="faint">The oldest first${going.next ? `: the first ${plural(going.items.length, 'workflow')}` : ''}.</p>${workflowTable('Queue', going.items)}`}
            ${recent.items.length === 0 ? notice(html`Nothing was submitted yet: <code>pingo submit workflow.json</code> does.`) : html`<h2>Submitted last</h2>${workflowTable('Submitted last', recent.items)}<p><a href="#/workflows">All workflows</a></p>`}
            ${failures(errors)}
            ${held(pool)}`);
    };
    await live(load);
}
