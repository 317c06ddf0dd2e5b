// simulation.js - what pingo simulate --html tells: which algorithm, and how much storage.
import { html, nothing } from '../lib/lit-html.js';
import { name, table } from '../parts/parts.js';
import { plot } from '../parts/plot.js';
import { duration, percent, plural, size } from '../parts/text.js';

function answer(d, part) {
    // Of the policies that one can have in a store.
    const found = part.least.filter(a => !a.seesFuture && a.percent !== null), most = `at most ${d.storagePercent} %`;
    const best = found.reduce((a, b) => a === null || b.percent < a.percent ? b : a, null);
    return best === null ? `No budget was found with which ${most} is computed again.`
        : best.percent === 0 ? `For ${most} recomputation no storage is needed at all.`
            : `For ${most} recomputation: ${size(best.bytes)} (${best.percent} %) of storage with ${best.algorithm}.`;
}

function plots(d, part) {
    const names = part.least.map(a => a.algorithm), shares = part.rows.every(r => r.budgetPercent !== null), cost = part.cost;
    const of = k => part.rows.filter((r, i) => i % names.length === k).sort((a, b) => a.budgetBytes - b.budgetBytes); // rows are by budget, then algorithm
    const bound = d.hasBounds ? [{ name: 'lower bound', y: of(0).map(r => r.bound) }] : [];
    return html`${plot({ title: `Time against the ideal (rho) by budget${shares ? ' in % of what nobody asked for' : ''}: lower is better, 1 is nothing computed twice`,
        x: of(0).map(r => shares ? r.budgetPercent : r.budgetBytes), isClock: false, xKind: shares ? 'number' : 'bytes', kind: 'real',
        series: [...names.map((algorithm, k) => ({ name: algorithm, y: of(k).map(r => r.rho), points: true })), ...bound] })}
        ${plot({ title: `Time spent on computing again what had gone, added up over the submissions: budget ${cost.budget}, seed ${cost.seed}`, x: cost.submissions, isClock: false, kind: 'duration',
        series: names.map((algorithm, k) => ({ name: algorithm, y: cost.lostMs[k] })) })}`;
}

function one(d, part) {
    const first = part.rows[0], signed = n => (n < 0 ? '' : '+') + n.toFixed(3), n = part.least.length;
    return html`<h2>${name(part.history)} ${plural(part.slots, 'slot')}</h2>
        <p>${plural(part.samples, 'sample')}; ${duration(first.idealMs)} with unlimited storage, ${first.noneRho.toFixed(3)} times as long without any.</p>
        <p><strong>${answer(d, part)}</strong></p>${plots(d, part)}
        ${table('The least budgets', [['Algorithm', a => a.algorithm], ['Least budget', a => a.percent === null ? 'not found' : a.percent > 0 ? `${a.percent} %` : 'nothing', 'n'],
        ['Bytes', a => a.percent === null ? '-' : size(a.bytes), 'n'], ['rho', a => a.percent === null ? '-' : a.rho.toFixed(3), 'n']], part.least)}
        ${table('All runs', [['Algorithm', r => r.algorithm], ['Budget', r => r.budget, 'n'], ['Bytes', r => size(r.budgetBytes), 'n'], ['rho', r => r.rho.toFixed(3), 'n'], ['±', r => r.rhoDeviation.toFixed(3), 'n'],
        ['Bound', r => r.bound === null ? '-' : r.bound.toFixed(3), 'n'], ['Recovered', r => r.recovered === null ? '-' : percent(r.recovered), 'n'], ['Peak', r => size(r.peakBytes), 'n'],
        ['Evictions', r => r.evictions.toFixed(0), 'n'], ['Shortfalls', r => r.shortfalls.toFixed(0), 'n'],
        [`Against ${first.algorithm}`, r => part.rows.indexOf(r) % n === 0 ? '-' : `${signed(r.difference)} ± ${r.differenceDeviation.toFixed(3)}`, 'n']], part.rows)}`;
}

export async function Simulation({ api, draw, title }) {
    const d = await api.get('/simulation');
    title('Which algorithm, and how much storage?');
    draw(html`<h1>Which algorithm, and how much storage?</h1>
        <p>Histories were run on a virtual clock with each algorithm and each budget. rho is the time that this took, as a multiple of the time with unlimited storage. A budget in percent is a
        share of the bytes of all distinct datasets that nobody asked for. Means over the samples.</p>
        <p>Decisions: ${d.decide}; datasets that were asked for: ${d.leaves} the budget; after a decision at most ${d.lowPercent.toFixed(1)} % of it is full; noise of times: ${d.noise};
        seeds ${d.firstSeed} to ${d.lastSeed}.</p>
        ${d.parts.map(part => one(d, part))}
        <h2>What the figures are</h2>
        <p>The least budgets were found with the simulator, to one part in a hundred: each was simulated and is enough for at most ${d.storagePercent} % recomputation
        (rho of ${Number((1 + d.storagePercent / 100).toPrecision(4))}) on the mean of the samples.</p>
        ${d.hasBounds ? html`<p>The bound is what no policy stays below, one that sees the future included; none may reach it.</p>` : nothing}
        <p>Recovered: the share of the time that storage can save which was saved. Shortfalls: decisions that could not free what they should. pingo-method(7) tells the rest.</p>`);
}
