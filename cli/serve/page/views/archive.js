// archive.js - what was submitted, month by month, wherever its rows lie by now.
import { html } from '../lib/lit-html.js';
import { notice, Pages, save, table, time } from '../parts/parts.js';
import { ms, number, size } from '../parts/text.js';
import { flat, workflowTable } from '../parts/workflows.js';

const two = n => String(n).padStart(2, '0');
const months = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const word = month => months.format(new Date(`${month}-01T00:00:00Z`));
const next = month => { const at = new Date(`${month}-01T00:00:00Z`); at.setUTCMonth(at.getUTCMonth() + 1); return at; };
const monthOf = at => `${at.getUTCFullYear()}-${two(at.getUTCMonth() + 1)}`;

const files = list => list.length === 0 ? notice('Nothing has moved to files yet.') : html`${table('Files', [['File', row => row.file], ['', row => row.sealed ? 'sealed' : 'open'], ['Workflows', row => number(row.workflows), 'n'],
    ['Attempts', row => number(row.attempts), 'n'], ['Size', row => row.bytes === null ? 'it is gone' : size(row.bytes), 'n'], ['First end', row => time(row.firstEnd)], ['Last end', row => time(row.lastEnd)]], list)}${save('archive', list)}`;

/** From the month of the first submission to that of the last, the newest first. */
function between(first, last) {
    const all = [];
    for (let at = monthOf(first); at <= monthOf(last) && all.length < 1200; at = monthOf(next(at)))
        all.unshift(at);
    return all;
}

export async function Archive({ api, parameters, draw, title }) {
    title('Archive');
    const [oldest, newest, moved] = await Promise.all([api.get('/v1/workflows?oldestFirst=1&limit=1'), api.get('/v1/workflows?limit=1'), api.get('/v1/archive')]);
    if (oldest.items.length === 0)
        return draw(html`<h1>Archive</h1>${notice('Nothing was submitted yet.')}`);
    const all = between(new Date(ms(oldest.items[0].submitted)), new Date(ms(newest.items[0].submitted)));
    const month = all.includes(parameters.month) ? parameters.month : all[0];
    const pages = await new Pages(api, `/v1/workflows?limit=50&since=${month}-01T00:00:00Z&until=${next(month).toISOString()}`).more();
    const show = () => draw(html`<h1>Archive</h1>
        <div class="row"><label for="month">Month</label><select id="month" @change=${event => { location.hash = `#/archive?month=${event.target.value}`; }}>${all.map(value =>
        html`<option value=${value} .selected=${value === month}>${word(value)}</option>`)}</select></div>
        <p class="faint">Submitted in ${word(month)} (UTC). What ended long ago is read from files of its month: it looks the same.</p>
        ${pages.rows.length === 0 ? notice('Nothing was submitted in that month.') : html`${workflowTable(`Submitted in ${word(month)}`, pages.rows)}${pages.button(show)}${save(`workflows-${month}`, flat(pages.rows))}`}
        <h2>Files</h2>${files(moved.items)}`);
    return show();
}
