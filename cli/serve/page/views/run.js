// run.js - one run from its beginning to its end: what it cost, when what ran, time and memory of each action, what failed, what was
// reused and what that saved. A report of a workflow is this view alone.
import { html, nothing, svg } from '../lib/lit-html.js';
import { bar, colourOf, figures, name, notice, Pages, save, shapeOf, state, table, time } from '../parts/parts.js';
import { clean, clock, duration, ms, number, plural, size } from '../parts/text.js';

const MOST = 2000; // attempts in the timeline, the first by their start
const ROWS = 500; // actions in the table at once

const shortened = text => { const all = [...clean(text)]; return all.length > 40 ? `${all.slice(0, 39).join('')}…` : all.join(''); };
const stateOf = row => row.state ?? row.decision;

/** Attempts as bars, packed into as few lanes as they need, for their start and end. */
export function timeline(attempts, states) {
    const ran = attempts.filter(row => row.started).map(row => ({ ...row, from: ms(row.started), to: ms(row.ended) ?? Date.now() })).sort((a, b) => a.from - b.from);
    const shown = ran.slice(0, MOST);
    if (shown.length === 0)
        return notice('Nothing ran: all that was needed was there.');
    const first = shown[0].from, last = shown.reduce((most, row) => Math.max(most, row.to), first + 1), lanes = [];
    for (const row of shown) {
        row.lane = lanes.findIndex(end => end <= row.from);
        row.lane = row.lane < 0 ? lanes.length : row.lane;
        lanes[row.lane] = row.to;
    }
    const W = 1200, height = lanes.length > 60 ? 6 : lanes.length > 20 ? 12 : 20, H = lanes.length * height, x = at => (at - first) / (last - first) * W;
    const marks = [0, 1, 2, 3, 4, 5, 6].map(i => first + (last - first) * i / 6);
    return html`<figure><figcaption>${ran.length > MOST ? `The first ${number(MOST)} of ${number(ran.length)} attempts` : plural(ran.length, 'attempt')} in ${plural(lanes.length, 'lane')}, over ${duration(last - first)}</figcaption>
        <div class="wide" tabindex="0" role="region" aria-label="Timeline"><svg class="draw" viewBox="0 0 ${W} ${H + 22}" width=${W} height=${H + 22} role="img" aria-label="Timeline of ${ran.length} attempts">
        ${marks.map((at, i) => svg`<line class="grid" x1=${x(at)} x2=${x(at)} y1="0" y2=${H}></line>
            <text class="faint" x=${x(at)} y=${H + 16} text-anchor=${i === 0 ? 'start' : i === 6 ? 'end' : 'middle'}>${i === 0 ? clock(at) : `+${duration(at - first)}`}</text>`)}
        ${shown.map(row => svg`<rect class=${colourOf(states.get(row.id))} x=${x(row.from)} y=${row.lane * height + 1} height=${height - 2} width=${Math.max(1.5, x(row.to) - x(row.from))}><title>${shapeOf(states.get(row.id))} ${shortened(row.name)}: ${duration(row.to - row.from)}${row.node ? ` on ${shortened(row.node)}` : ''}, ${row.state}</title></rect>
            ${height >= 20 && x(row.to) - x(row.from) > 60 ? svg`<text class="inside" x=${x(row.from) + 4} y=${row.lane * height + 14}>${shortened(row.name).slice(0, Math.floor((x(row.to) - x(row.from)) / 8))}</text>` : nothing}`)}
        </svg></div></figure>`;
}

/** Groups of actions, a column for each depth, with a bar of their states. */
export function graph(groups) {
    if (groups.length === 0 || groups.length > 400)
        return nothing;
    const W = 190, H = 46, columns = [];
    const at = groups.map(group => { const column = columns[group.depth] ??= []; column.push(group.index); return [group.depth, column.length - 1]; });
    const place = new Map(groups.map((group, i) => [group.index, at[i]]));
    const x = index => place.get(index)[0] * (W + 50) + 4, y = index => place.get(index)[1] * (H + 16) + 4;
    const width = columns.length * (W + 50), height = Math.max(...columns.map(column => column?.length || 0)) * (H + 16) + 4;
    const parts = group => [['good', group.finished + group.reused], ['idle', group.skipped], ['bad', group.failed], ['busy', group.running], ['waiting', group.ready + group.waiting]];
    const counts = group => [['finished', group.finished], ['reused', group.reused], ['not needed', group.skipped], ['failed', group.failed], ['running', group.running], ['waiting', group.ready + group.waiting]]
        .filter(([, n]) => n > 0).map(([word, n]) => `${n} ${word}`).join(', ');
    return html`<div class="wide" tabindex="0" role="region" aria-label="Graph of groups"><svg class="draw" viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="img" aria-label="Graph of ${groups.length} groups">
        ${groups.flatMap(group => group.parents.filter(({ group: parent }) => parent !== group.index).map(({ group: parent }) => svg`<path class="line" d="M${x(parent) + W} ${y(parent) + H / 2} C${x(parent) + W + 25} ${y(parent) + H / 2} ${x(group.index) - 25} ${y(group.index) + H / 2} ${x(group.index)} ${y(group.index) + H / 2}"></path>`))}
        ${groups.map(group => { let done = 0; return svg`<g><title>${shortened(group.name)}: ${counts(group)}</title><rect class="box" x=${x(group.index)} y=${y(group.index)} width=${W} height=${H} rx="4"></rect>
            <text x=${x(group.index) + 8} y=${y(group.index) + 18}>${shortened(group.name).slice(0, 24)}</text><text class="faint" x=${x(group.index) + W - 8} y=${y(group.index) + 18} text-anchor="end">${group.actions}</text>
            ${parts(group).map(([colour, n]) => { const from = done; done += n; return n === 0 ? nothing : svg`<rect class=${colour} x=${x(group.index) + 8 + from / group.actions * (W - 16)} y=${y(group.index) + 28} width=${n / group.actions * (W - 16)} height="10"></rect>`; })}</g>`; })}
        </svg></div>
        ${table('Groups', [['Group', row => name(row.name)], ['Actions', row => number(row.actions), 'n'], ['States', row => counts(row)], ['Time', row => duration(row.wallMs), 'n']], groups)}`;
}

/** Wanted against used: a bar of what was used, within what was asked for. */
const memory = row => row.maxRssBytes === null || row.maxRssBytes === undefined ? '-'
    : html`${size(row.maxRssBytes)}${row.memoryMB ? html` <span class="faint">of ${size(row.memoryMB * 1e6)}</span>` : nothing}`;

async function all(api, path, most) {
    const pages = await new Pages(api, path).more();
    while (pages.next && pages.rows.length < most)
        await pages.more();
    return pages.rows;
}

export async function Run({ api, parameters, draw, title, live }) {
    const path = `/v1/workflows/${encodeURIComponent(parameters.workflow)}`;
    let shownRows = ROWS, order = 'wallMs';
    const load = async () => {
        const [run, cost, critical, groups, actions, attempts] = await Promise.all([api.get(path), api.get(`${path}/cost`), api.get(`${path}/critical`), api.get(`${path}/groups`),
            all(api, `${path}/actions?limit=1000`, 10000), all(api, `${path}/attempts?limit=1000`, MOST)]);
        const states = new Map(actions.map(row => [row.id, stateOf(row)])), failed = actions.filter(row => row.state === 'FAILED'), c = run.counts, s = run.summary;
        title(`${shortened(run.name ?? '')} ${run.workflow}`);
        const ran = actions.filter(row => row.wallMs !== null);
        const again = () => draw(html`<h1>${name(run.name ?? `Workflow ${run.workflow}`)}</h1>
            <p>${state(run.state)} Workflow ${run.workflow} of ${name(run.user ?? '-')}, submitted ${time(run.submitted)}${run.ended ? html`, ended ${time(run.ended)}` : nothing}</p>
            ${bar([['finished', c.finished, 'good'], ['failed', c.failed, 'bad'], ['running', c.running + c.armed, 'busy'], ['waiting', c.ready + c.waiting, 'waiting'], ['not computed', s.reuse + s.skip + s.join, 'idle']])}
            ${figures([['actions', number(run.actionCount)], ['computed', number(s.compute)], ['reused', number(s.reuse)], ['not needed', number(s.skip)], ['joined', number(s.join)], ['failed', number(c.failed)]])}
            <h2>Time, and what reuse saved</h2>
            ${figures([['from start to end', duration(cost.spanMs)], ['computed in sum', duration(cost.wallMs)], ['critical path', duration(cost.criticalMs)],
        ['cache hits', number(cost.saved)], ['compute time they saved', duration(cost.savedMs)], ['bytes that were there', size(cost.savedBytes)]])}
            ${failed.length ? html`<h2>Failures</h2>${table('Failures', [['Action', row => html`${row.id} ${name(row.name)}`], ['State', row => state(row.state)], ['Exit', row => row.exitCode ?? '-', 'n'], ['Signal', row => row.signal ?? '-', 'n'],
        ['Attempts', row => row.attempts ?? '-', 'n'], ['What it said', row => name(row.message ?? '-')], ['Where', row => html`<code>${name(row.attemptDir ?? '-')}</code>`]], failed)}` : nothing}
            <h2>Timeline</h2>${timeline(attempts, states)}
            <h2>Graph</h2>${graph(groups.items)}
            ${critical.items.length ? html`<h2>Critical path</h2>${table('Critical path', [['Action', row => html`${row.id} ${name(row.name)}`], ['Time', row => duration(row.wallMs), 'n'], ['Started', row => time(row.startedAt)], ['Ended', row => time(row.endedAt)]], critical.items)}` : nothing}
            <h2>Actions</h2>
            <div class="row" role="group" aria-label="Order">${[['wallMs', 'longest first'], ['maxRssBytes', 'most memory first'], ['id', 'by number']].map(([key, word]) =>
        html`<button aria-pressed=${key === order ? 'true' : 'false'} @click=${() => { order = key; again(); }}>${word}</button>`)}</div>
            ${table('Actions', [['No.', row => row.id, 'n'], ['Name', row => name(row.name)], ['State', row => state(stateOf(row))], ['Started', row => time(row.started)], ['Time', row => duration(row.wallMs), 'n'],
        ['Processor', row => row.userMs === null ? '-' : duration(row.userMs + row.systemMs), 'n'], ['Memory', memory, 'n'], ['Node', row => name(row.node ?? '-')]],
    [...actions].sort((a, b) => order === 'id' ? a.id - b.id : (b[order] ?? -1) - (a[order] ?? -1)).slice(0, shownRows))}
            ${actions.length > shownRows ? html`<p><button @click=${() => { shownRows *= 4; again(); }}>Show more of ${number(actions.length)}</button></p>` : nothing}
            ${actions.length < run.actionCount ? notice(`Listed are the first ${number(actions.length)} of ${number(run.actionCount)} actions, and of the failures those among them.`) : nothing}
            ${save(`actions-${run.workflow}`, actions)}<p class="faint">${plural(ran.length, 'action')} ran${actions.length < run.actionCount ? ' of those that are listed' : ''}.</p>`);
        again();
    };
    await live(load);
}
