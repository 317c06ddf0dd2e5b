// pool.js - what the pool holds and held, what would go, what went and what that cost.
import { html, nothing } from '../lib/lit-html.js';
import { bar, datasetState, figures, hash, name, notice, Pages, save, table, time } from '../parts/parts.js';
import { plot } from '../parts/plot.js';
import { duration, ms, number, percent, plural, size } from '../parts/text.js';

const KINDS = [['results', 'leafBytes', 'good'], ['kept', 'keptBytes', 'busy'], ['in use', 'claimedBytes', 'waiting'], ['may go', 'candidateBytes', 'idle'],
    ['cannot be deleted', 'undeletableBytes', 'bad'], ['of failed actions', 'failedBytes', 'new']];

/** What is held, against the budget. */
function now(pool) {
    const free = pool.budgetBytes === null ? [] : [['free', Math.max(0, pool.budgetBytes - pool.usedBytes), '']];
    return html`<h2>Now</h2>${figures([['used', size(pool.usedBytes)], ['budget', pool.budgetBytes === null ? 'none' : size(pool.budgetBytes)],
        ['of it', pool.budgetBytes ? percent(pool.usedBytes / pool.budgetBytes) : '-'], ['on its way out', size(pool.leavingBytes)], ['free on the file system', size(pool.fileSystemBytes)]])}
        ${bar([...KINDS.map(([word, key, colour]) => [`${size(pool[key])} ${word}`, pool[key], colour]), ...free])}
        ${table('What is held', [['Held', row => html`<span class="badge ${row[2]}"><span aria-hidden="true">■</span> ${row[0]}</span>`], ['Bytes', row => size(pool[row[1]]), 'n']], KINDS)}`;
}

function overTime(report) {
    const steps = report.steps;
    if (steps.length < 2)
        return nothing;
    const x = steps.map(step => ms(step.from) / 1000), held = steps.map(step => step.heldBytes), most = held.reduce((a, b) => Math.max(a, b), 0);
    const budget = report.pool.budgetBytes === null ? [] : [{ name: 'budget', y: x.map(() => report.pool.budgetBytes) }];
    let [saved, lost] = [0, 0];
    return html`<h2>Over time</h2>${plot({ title: 'Held', x, kind: 'bytes', says: `at most ${size(most)}`, series: [{ name: 'held', y: held, steps: true }, ...budget] })}
        ${plot({ title: 'Compute time saved by reuse, and lost to evictions, so far', x, kind: 'duration', says: `${duration(report.savedMs)} saved, ${duration(report.lostMs)} lost`,
        series: [{ name: 'saved', y: steps.map(step => (saved += step.savedMs)) }, { name: 'lost', y: steps.map(step => (lost += step.lostMs)) }] })}`;
}

const rows = (title, list, columns) => list.length === 0 ? nothing : html`<h2>${title}</h2>${table(title, columns, list)}`;

function ledger(pages, again) {
    return html`<h2>Evictions</h2>${pages.rows.length === 0 ? notice('Nothing was evicted yet.') : html`${table('Evictions', [['When', row => time(row.at)],
        ['Dataset', row => hash(row.hash)], ['Name', row => name(row.name)], ['Size', row => size(row.sizeBytes), 'n'], ['To make again', row => duration(row.remakeMs), 'n'],
        ['Algorithm', row => row.algorithm], ['Why', row => name(row.reason)], ['Then', row => row.remade ? html`made again ${time(row.remade)}` : row.rescued ? html`rescued ${time(row.rescued)}` : '-'],
        ['Regret', row => duration(row.regretMs), 'n']], pages.rows)}${pages.button(again)}${save('evictions', pages.rows)}`}`;
}

function wouldGo(decision) {
    if (!decision)
        return nothing;
    const columns = [['Dataset', row => hash(row.hash)], ['Name', row => name(row.name ?? '-')], ['Size', row => size(row.sizeBytes), 'n'], ['Why', row => name(row.reason ?? '-')]];
    return html`<h2>What would go now</h2>${decision.victims.length === 0 ? notice(`Nothing: the ${decision.algorithm} algorithm has to free ${size(decision.freeBytes)}.`)
        : html`<p>${decision.algorithm} would free ${size(decision.freedBytes)} of the ${size(decision.freeBytes)} that are to be freed.</p>${table('What would go', columns, decision.victims)}`}`;
}

export async function Pool({ api, draw, title, live }) {
    title('Pool');
    let pages = new Pages(api, '/v1/pool/evictions?limit=50');
    const load = async () => {
        pages = await pages.renewed(row => `${row.hash} ${row.at}`);
        const [report, decision] = await Promise.all([api.get('/v1/pool/report'), api.get('/v1/pool/decide').catch(() => null)]);
        const again = () => draw(html`<h1>Pool</h1>
            ${figures([['hit rate', percent(report.hitRate)], ['compute time spent', duration(report.spentMs)], ['saved by reuse', duration(report.savedMs)],
        ['lost to evictions', duration(report.lostMs)], ['submissions', number(report.submissions)], ['evictions', `${number(report.evictions)}, ${size(report.evictedBytes)}`]])}
            ${now(report.pool)}
            ${rows('By state', report.states.filter(row => row.datasets > 0), [['State', row => datasetState(row.state)], ['Datasets', row => number(row.datasets), 'n'], ['Bytes', row => size(row.bytes), 'n']])}
            ${overTime(report)}
            ${wouldGo(decision)}
            ${rows('Evictions by algorithm', report.algorithms, [['Algorithm', row => row.algorithm], ['Evictions', row => number(row.evictions), 'n'], ['Bytes', row => size(row.evictedBytes), 'n'],
        ['Rescued', row => number(row.rescued), 'n'], ['Made again', row => number(row.regrets), 'n'], ['Lost', row => duration(row.lostMs), 'n']])}
            ${rows('Most valuable', report.valuable, [['Dataset', row => hash(row.hash)], ['Name', row => name(row.name)], ['Size', row => size(row.sizeBytes), 'n'], ['Saved so far', row => duration(row.valueMs), 'n']])}
            ${rows('Most regretted', report.regretted, [['Dataset', row => hash(row.hash)], ['Name', row => name(row.name)], ['Size', row => size(row.sizeBytes), 'n'], ['Lost', row => duration(row.lostMs), 'n']])}
            ${ledger(pages, again)}
            <p class="faint">${report.steps.length ? html`From ${time(report.from)} to ${time(report.until)}` : 'Nothing has happened then'}; ${plural(report.mentions, 'mention')} of actions.</p>`);
        again();
    };
    await live(load);
}
