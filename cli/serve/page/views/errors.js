// errors.js - what failed: when, with what, where, whose, what it cost; new since yesterday first.
import { html, nothing } from '../lib/lit-html.js';
import { action, choice, figures, name, notice, Pages, save, table, time } from '../parts/parts.js';
import { plot } from '../parts/plot.js';
import { duration, ms, number, percent, plural } from '../parts/text.js';

const BY = [['code', 'by error'], ['node', 'by node'], ['executor', 'by executor'], ['user', 'by user'], ['name', 'by name']];
const DAYS = [['1', 'a day'], ['7', '7 days'], ['30', '30 days'], ['365', 'a year']];
const FILTERS = ['error', 'node', 'executor', 'user', 'name'];

const sum = (rows, key) => rows.reduce((all, row) => all + (row[key] || 0), 0);

function address(parameters, changes) {
    const all = Object.entries({ ...parameters, ...changes }).filter(([, value]) => value);
    return `#/errors?${new URLSearchParams(all)}`;
}

function histogram(rows, step) {
    const at = new Map();
    for (const row of rows)
        at.set(row.from, (at.get(row.from) || 0) + row.failed);
    const slots = [...at].map(([from, n]) => [ms(from) / 1000, n]).sort((a, b) => a[0] - b[0]);
    if (slots.length === 0)
        return nothing;
    const long = step === '1d' ? 86400 : 1800, x = [], y = [], known = new Map(slots.map(([from, n]) => [from, n]));
    for (let from = slots[0][0] - long; from <= slots[slots.length - 1][0] + long && x.length < 20000; from += long) {
        x.push(from);
        y.push(known.get(from) || 0);
    }
    const most = slots.reduce((a, b) => b[1] > a[1] ? b : a);
    return plot({ title: step === '1d' ? 'Failed attempts a day' : 'Failed attempts in each 30 minutes', x, kind: 'number',
        says: `at most ${most[1]}, from ${new Date(most[0] * 1000).toISOString()}`, series: [{ name: 'failed', y, bars: true }] });
}

const what = row => row.isOther ? 'all others' : html`${row.isNew ? html`<strong class="new">new</strong> ` : nothing}<span class="faint">${row.category}${
    row.exitCode === null ? nothing : `, exit ${row.exitCode}`}${row.signal === null ? nothing : `, signal ${row.signal}`}</span> ${name(row.text)}`;

function rowsTable(by, rows, parameters) {
    const lost = ['Wall time lost', row => duration(row.wallMs), 'n'];
    if (by === 'code')
        return table('Failures by error', [['Error', what], ['Failed', row => number(row.failed), 'n'], ['Retried', row => number(row.retried), 'n'], lost,
            ['First', row => time(row.first)], ['Last', row => time(row.last)],
            ['Examples', row => row.examples.map((e, i) => html`${i ? ', ' : ''}${action(e.workflow, e.id)}`)],
            ['Attempts', row => row.error === null ? '' : html`<a href=${address(parameters, { error: row.error })}>list<span class="skip"> of ${row.text}</span></a>`]], rows);
    return table(`Failures ${BY.find(([value]) => value === by)[1]}`, [[by[0].toUpperCase() + by.slice(1), row => row.isOther ? 'all others'
        : html`<a href=${address(parameters, { by: 'code', [by]: row.value })}>${name(row.value)}</a>`],
    ['Ended', row => number(row.ended), 'n'], ['Failed', row => number(row.failed), 'n'], ['Of these', row => percent(row.failed / row.ended), 'n'], lost], rows);
}

/** The attempts of one error, page by page. */
async function attempts({ api, parameters, draw }, query) {
    const pages = await new Pages(api, `/v1/errors/${encodeURIComponent(parameters.error)}/attempts?${query}`).more();
    const again = () => draw(html`<h1>Attempts of error no. ${parameters.error}</h1>
        <p><a href=${address(parameters, { error: '' })}>All errors</a></p>
        ${table('Attempts', [['Attempt', row => action(row.workflow, row.id)], ['Epoch', row => row.epoch, 'n'], ['Name', row => name(row.name)],
        ['Ended', row => time(row.ended)], ['Exit', row => row.exitCode ?? '-', 'n'], ['Signal', row => row.signal ?? '-', 'n'], ['Wall time', row => duration(row.wallMs), 'n'],
        ['Node', row => name(row.node ?? '-')]], pages.rows)}
        ${pages.button(again)}${save('attempts', pages.rows)}`);
    again();
}

export async function Errors(context) {
    const { api, parameters, draw, title, live } = context;
    const days = DAYS.some(([value]) => value === parameters.days) ? parameters.days : '7', by = BY.some(([value]) => value === parameters.by) ? parameters.by : 'code';
    const now = new Date(Math.floor(Date.now() / 18e5) * 18e5), from = new Date(now - Number(days) * 864e5).toISOString(), step = Number(days) > 7 ? '1d' : '30m';
    const filters = FILTERS.filter(key => parameters[key]).map(key => [key, parameters[key]]);
    const query = new URLSearchParams([['from', from], ...filters.filter(([key]) => key !== 'error')]);
    title('Errors');
    if (parameters.error)
        return attempts(context, query);
    const yesterday = Date.now() - 864e5;
    const load = async () => {
        const [all, inTime] = await Promise.all([api.get(`/v1/errors?${query}&by=${by}`), api.get(`/v1/errors?${query}&step=${step}`)]);
        const rows = all.items.map(row => ({ ...row, isNew: row.isNew && ms(row.first) >= yesterday })).filter(row => row.failed > 0);
        rows.sort((a, b) => a.isOther - b.isOther || b.isNew - a.isNew || b.failed - a.failed);
        const codes = by === 'code' ? rows : [];
        draw(html`<h1>Errors</h1>
            ${choice('Period', DAYS, days, value => { location.hash = address(parameters, { days: value }); })}
            ${choice('Counted', BY, by, value => { location.hash = address(parameters, { by: value }); })}
            ${filters.length ? html`<div class="row">Only ${filters.map(([key, value]) => html`<span>${key} ${name(value)}</span>`)} <a href=${address({ days, by })}>all</a></div>` : nothing}
            ${figures([['attempts failed', number(sum(rows, 'failed'))], ['wall time lost', duration(sum(rows, 'wallMs'))], ['of these tried again', number(sum(rows, 'retried'))],
        ...(by === 'code' ? [['new since yesterday', number(codes.filter(row => row.isNew).length)]] : [])])}
            ${rows.length === 0 ? notice(`Nothing has failed in ${DAYS.find(([value]) => value === days)[1]}.`) : html`${histogram(inTime.items, step)}
            <h2>${plural(rows.length, by === 'code' ? 'error' : by)}</h2>${rowsTable(by, rows, parameters)}${save('errors', rows)}`}`);
    };
    await live(load);
    return undefined;
}
