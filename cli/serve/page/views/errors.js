// errors.js - what failed: when, with what, where, whose, what it cost; new since yesterday first.
import { html, nothing } from '../lib/lit-html.js';
import { action, choice, DAYS, figures, name, notice, Pages, save, table, time } from '../parts/parts.js';
import { plot } from '../parts/plot.js';
import { duration, ms, number, percent, plural, sum } from '../parts/text.js';

const BY = [['code', 'by error'], ['node', 'by node'], ['executor', 'by executor'], ['user', 'by user'], ['name', 'by name']];
const KEPT = 89 * 864e5; // half hours are told of so long
const FILTERS = ['error', 'node', 'executor', 'user', 'name'];

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

const listOf = (parameters, changes, text) => html`<a href=${address(parameters, { list: '1', ...changes })}>list<span class="skip"> of ${text}</span></a>`;

function rowsTable(by, rows, parameters) {
    const lost = ['Wall time lost', row => duration(row.wallMs), 'n'];
    if (by === 'code')
        return table('Failures by error', [['Error', what], ['Failed', row => number(row.failed), 'n'], ['Retried', row => number(row.retried), 'n'], lost,
            ['First', row => time(row.first)], ['Last', row => time(row.last)],
            ['Examples', row => row.examples.map((e, i) => html`${i ? ', ' : ''}${action(e.workflow, e.id)}`)],
            ['Attempts', row => row.error === null ? '' : listOf(parameters, { error: row.error }, row.text)]], rows);
    return table(`Failures ${BY.find(([value]) => value === by)[1]}`, [[by[0].toUpperCase() + by.slice(1), row => row.isOther ? 'all others'
        : html`<a href=${address(parameters, { by: 'code', [by]: row.value })}>${name(row.value)}</a>`],
    ['Ended', row => number(row.ended), 'n'], ['Failed', row => number(row.failed), 'n'], ['Of these', row => percent(row.failed / row.ended), 'n'], lost,
    ['Attempts', row => row.isOther || row.failed === 0 ? '' : listOf(parameters, { by: '', [by]: row.value }, row.value)]], rows);
}

const only = filters => filters.length ? html`<div class="row">Only ${filters.map(([key, value]) => html`<span>${key} ${name(value)}</span>`)}</div>` : nothing;

/** The attempts that failed, page by page. */
async function attempts({ api, parameters, draw, live }, query, filters) {
    let pages = new Pages(api, `/v1/errors/attempts?${query}`);
    const again = () => draw(html`<h1>Attempts that failed</h1>${only(filters)}
        <p><a href=${address(parameters, { list: '', error: '' })}>All errors</a></p>
        ${pages.rows.length === 0 ? notice('No such attempt failed then.') : table('Attempts', [['Attempt', row => action(row.workflow, row.id)], ['Epoch', row => row.epoch, 'n'], ['Name', row => name(row.name)],
        ['Ended', row => time(row.ended)], ['What', row => name(row.text ?? '')], ['Exit', row => row.exitCode ?? '-', 'n'], ['Signal', row => row.signal ?? '-', 'n'], ['Wall time', row => duration(row.wallMs), 'n'],
        ['Node', row => name(row.node ?? '-')], ['User', row => name(row.user ?? '-')]], pages.rows)}
        ${pages.button(again)}${save('attempts', pages.rows)}`);
    await live(async () => {
        pages = await pages.renewed(row => `${row.workflow}/${row.id}.${row.epoch}`);
        again();
    });
}

/** What is asked for: a day, or so many days up to now. */
function period({ day, days }) {
    if (/^\d{4}-\d\d-\d\d$/.test(day) && Number.isFinite(Date.parse(day)))
        return { day, days: '', from: day, to: new Date(Date.parse(day) + 864e5).toISOString(), step: Date.now() - Date.parse(day) > KEPT ? '1d' : '30m', told: `on ${day}` };
    const [value, word] = DAYS.find(known => known[0] === days) || DAYS[1], now = Math.floor(Date.now() / 18e5) * 18e5;
    return { day: '', days: value, from: new Date(now - Number(value) * 864e5).toISOString(), to: '', step: Number(value) > 7 ? '1d' : '30m', told: `in ${word}` };
}

const dayForm = (parameters, day) => html`<form class="row" @submit=${event => { event.preventDefault(); location.hash = address(parameters, { day: event.target.day.value, days: '' }); }}>
    <span class="pair"><label for="day">Day (UTC)</label><input id="day" name="day" type="date" required .value=${day}></span><button>Show</button></form>`;

export async function Errors(context) {
    const { api, parameters, draw, title, live } = context;
    const asked = period(parameters), by = BY.some(([value]) => value === parameters.by) ? parameters.by : 'code';
    const filters = FILTERS.filter(key => parameters[key]).map(key => [key, parameters[key]]);
    const times = [['from', asked.from], ['to', asked.to]].filter(([, value]) => value);
    title('Errors');
    if (parameters.error || parameters.list)
        return attempts(context, new URLSearchParams([...times, ...filters]), asked.day ? [['day', asked.day], ...filters] : filters);
    const yesterday = Date.now() - 864e5, query = new URLSearchParams([...times, ...filters]);
    const load = async () => {
        const [all, inTime] = await Promise.all([api.get(`/v1/errors?${query}&by=${by}`), api.get(`/v1/errors?${query}&step=${asked.step}`)]);
        const rows = all.items.map(row => ({ ...row, isNew: row.isNew && ms(row.first) >= yesterday })).filter(row => row.failed > 0);
        rows.sort((a, b) => a.isOther - b.isOther || b.isNew - a.isNew || b.failed - a.failed);
        const codes = by === 'code' ? rows : [];
        draw(html`<h1>Errors</h1>
            ${choice('Period', DAYS, asked.days, value => { location.hash = address(parameters, { days: value, day: '' }); })}${dayForm(parameters, asked.day)}
            ${choice('Counted', BY, by, value => { location.hash = address(parameters, { by: value }); })}
            ${only(filters)}${filters.length ? html`<p><a href=${address({ days: asked.days, day: asked.day, by })}>all</a></p>` : nothing}
            ${figures([['attempts failed', number(sum(rows, 'failed'))], ['wall time lost', duration(sum(rows, 'wallMs'))], ['of these tried again', number(sum(rows, 'retried'))],
        ...(by === 'code' ? [['new since yesterday', number(codes.filter(row => row.isNew).length)]] : [])])}
            ${rows.length === 0 ? notice(`Nothing has failed ${asked.told}.`) : html`${histogram(inTime.items, asked.step)}
            <h2>${plural(rows.length, by === 'code' ? 'error' : by)}</h2>${rowsTable(by, rows, parameters)}
            <p><a href=${address(parameters, { list: '1' })}>List the attempts</a></p>${save('errors', rows)}`}`);
    };
    await live(load);
    return undefined;
}
