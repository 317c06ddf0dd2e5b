// users.js - who uses the store: what falls to each, what each used, and quotas.
import { html } from '../lib/lit-html.js';
import { bar, choice, DAYS, name, notice, save, table } from '../parts/parts.js';
import { duration, number, percent, size } from '../parts/text.js';

const BY = [['user', 'by user'], ['executor', 'by executor'], ['node', 'by node']];

const of = (used, most, text) => html`${text(used)}${most === null ? '' : html`<br><span class="faint">of ${text(most)}</span>`}`;

const shares = rows => html`<h2>Shares</h2><p class="faint">The next slot goes to whoever has the least, by weight, of what runs and what ran lately.</p>
    ${table('Shares', [['User', row => html`<a href="#/workflows?user=${encodeURIComponent(row.user)}">${name(row.user)}</a>`], ['Weight', row => number(row.weight), 'n'], ['Part', row => percent(row.part), 'n'],
    ['', row => bar([['of what is used', row.part, 'busy'], ['', 1 - row.part, '']].map(([word, n, colour]) => [word && `${percent(row.part)} ${word}`, n, colour]))],
    ['Running', row => of(row.running, row.maxSlots, number), 'n'], ['Waiting', row => of(row.waiting, row.maxActions, number), 'n'],
    ['Used lately', row => duration(row.usageMs), 'n'], ['Results and kept', row => of(row.bytes, row.maxBytes, size), 'n']], rows)}${save('shares', rows)}`;

const used = (by, rows) => rows.length === 0 ? notice('Nothing was run then.') : html`${table('Use', [[by[0].toUpperCase() + by.slice(1), row => row.isOther ? 'all others' : name(row.value)],
    ['Attempts', row => number(row.ended), 'n'], ['Failed', row => number(row.failed), 'n'], ['Wall time', row => duration(row.wallMs), 'n'], ['Processor time', row => duration(row.cpuMs), 'n'],
    ['Of it in vain', row => duration(row.lostMs), 'n'], ['Tried again', row => duration(row.retriedMs), 'n']], rows)}${save('usage', rows)}`;

export async function Users({ api, parameters, draw, title, live }) {
    title('Users');
    const one = (list, key, otherwise) => list.some(([value]) => value === parameters[key]) ? parameters[key] : otherwise;
    const days = one(DAYS, 'days', '30'), by = one(BY, 'by', 'user');
    const go = changes => { location.hash = `#/users?${new URLSearchParams({ days, by, ...changes })}`; };
    const from = new Date(Math.floor(Date.now() / 18e5) * 18e5 - Number(days) * 864e5).toISOString();
    const load = async () => {
        const [all, usage] = await Promise.all([api.get('/v1/shares'), api.get(`/v1/usage?${new URLSearchParams({ from, by })}`)]);
        draw(html`<h1>Users</h1>${all.items.length === 0 ? notice('Nobody has submitted anything yet.') : shares(all.items)}
            <h2>Use</h2>${choice('Period', DAYS, days, value => go({ days: value }))}${choice('Counted', BY, by, value => go({ by: value }))}
            ${used(by, usage.items)}
            <p class="faint">Weights and quotas are set by <code>pingo shares</code>.</p>`);
    };
    await live(load);
}
