// run.js - one run from its beginning to its end: what it cost, when what ran, time and memory of each action, what failed, what was
// reused and what that saved. A report of a workflow is this view alone.
import { html, nothing } from '../lib/lit-html.js';
import { graph } from '../parts/graph.js';
import { figures, memory, name, notice, Pages, processor, save, state, table, time } from '../parts/parts.js';
import { clean, duration, number, plural, shortened, size } from '../parts/text.js';
import { heading } from '../parts/workflows.js';
import { LOOKED_AT, timeline } from '../parts/timeline.js';

const LISTED = 10000; // actions, and failures
const ROWS = 500; // actions in the table at once
const SAID = 20; // failures that are shown with what they said last, and so many lines of each

const stateOf = row => row.state ?? row.decision;

/** The end of a failure's standard error; said: its text, or why there is none. */
const words = (row, said) => html`<details open><summary>${row.id} ${name(row.name)}</summary>${said instanceof Error && said.status !== 404 ? notice(said.message)
    : said instanceof Error || !said.trim() ? notice('Its standard error holds nothing, or is not kept any more.')
        : html`<pre tabindex="0" aria-label="Standard error of ${row.id}"><bdi>${clean(said).trimEnd().split('\n').slice(-SAID).join('\n')}</bdi></pre>`}</details>`;

export async function Run({ api, parameters, draw, title, live }) {
    const path = `/v1/workflows/${await api.numberOf(parameters.workflow)}`;
    const said = new Map(); // failure -> its last words
    let shownRows = ROWS, order = 'wallMs';
    const pages = (list, most) => new Pages(api, `${path}/${list}`).upTo(most), rows = async (list, most) => (await pages(list, most)).rows;
    const load = async () => {
        const [run, cost, critical, groups, actions, attempts] = await Promise.all([api.get(path), api.get(`${path}/cost`), api.get(`${path}/critical`), api.get(`${path}/groups`),
            rows('actions?limit=1000', LISTED), pages('attempts?limit=1000', LOOKED_AT)]);
        const states = new Map(actions.map(row => [row.id, stateOf(row)])), c = run.counts, s = run.summary;
        const failed = actions.length < run.actionCount ? await rows('actions?limit=1000&state=FAILED', LISTED) : actions.filter(row => row.state === 'FAILED');
        const loud = failed.slice(0, SAID).map(row => [row, `${row.id}.${row.attempts}`]);
        await Promise.all(loud.filter(([, key]) => !said.has(key)).map(async ([row, key]) =>
            said.set(key, await api.text(`${path}/actions/${row.id}/stderr?tail=4K`).catch(error => error))));
        title(`${shortened(run.name ?? '')} ${run.workflow}`);
        const ran = actions.filter(row => row.wallMs !== null);
        const again = () => draw(html`${heading(run)}
            ${figures([['actions', number(run.actionCount)], ['computed', number(s.compute)], ['reused', number(s.reuse)], ['not needed', number(s.skip)], ['joined', number(s.join)], ['failed', number(failed.length)],
        ...(c.failed > failed.length && failed.length < LISTED ? [['cancelled or killed', number(c.failed - failed.length)]] : [])])}
            <h2>Time, and what reuse saved</h2>
            ${figures([['from start to end', duration(cost.spanMs)], ['computed in sum', duration(cost.wallMs)], ['critical path', duration(cost.criticalMs)],
        ['cache hits', number(cost.saved)], ['compute time they saved', duration(cost.savedMs)], ['bytes that were there', size(cost.savedBytes)]])}
            ${failed.length ? html`<h2>Failures</h2>${table('Failures', [['Action', row => html`${row.id} ${name(row.name)}`], ['State', row => state(row.state)], ['Exit', row => row.exitCode ?? '-', 'n'], ['Signal', row => row.signal ?? '-', 'n'],
        ['Attempts', row => row.attempts ?? '-', 'n'], ['Why', row => name(row.message ?? '-')], ['Where', row => html`<code>${name(row.attemptDir ?? '-')}</code>`]], failed)}
                <h3>What ${failed.length > SAID ? `the first ${SAID} of them` : 'they'} said last</h3>${loud.map(([row, key]) => words(row, said.get(key)))}` : nothing}
            <h2>Timeline</h2>${timeline(attempts.rows, states, !attempts.next)}
            <h2>Graph</h2>${graph(groups.items)}
            ${critical.items.length ? html`<h2>Critical path</h2>${table('Critical path', [['Action', row => html`${row.id} ${name(row.name)}`], ['Time', row => duration(row.wallMs), 'n'], ['Started', row => time(row.startedAt)], ['Ended', row => time(row.endedAt)]], critical.items)}` : nothing}
            <h2>Actions</h2>
            <div class="row" role="group" aria-label="Order">${[['wallMs', 'longest first'], ['maxRssBytes', 'most memory first'], ['id', 'by number']].map(([key, word]) =>
        html`<button aria-pressed=${key === order ? 'true' : 'false'} @click=${() => { order = key; again(); }}>${word}</button>`)}</div>
            ${table('Actions', [['No.', row => row.id, 'n'], ['Name', row => name(row.name)], ['State', row => state(stateOf(row))], ['Started', row => time(row.started)], ['Time', row => duration(row.wallMs), 'n'],
        ['Processor', processor, 'n'], ['Memory', memory, 'n'], ['Node', row => name(row.node ?? '-')]],
    [...actions].sort((a, b) => order === 'id' ? a.id - b.id : (b[order] ?? -1) - (a[order] ?? -1)).slice(0, shownRows))}
            ${actions.length > shownRows ? html`<p><button @click=${() => { shownRows *= 4; again(); }}>Show more of ${number(actions.length)}</button></p>` : nothing}
            ${actions.length < run.actionCount ? notice(`Listed are the first ${number(actions.length)} of ${number(run.actionCount)} actions.`) : nothing}
            ${save(`actions-${run.workflow}`, actions)}<p class="faint">${plural(ran.length, 'action')} ran${actions.length < run.actionCount ? ' of those that are listed' : ''}.</p>`);
        again();
    };
    await live(load);
}
