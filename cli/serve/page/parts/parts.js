// parts.js - what views are made of: names, times, states, figures, tables, lists in pages, notices.
import { html, nothing } from '../lib/lit-html.js';
import { report } from '../source.js';
import { clean, clock, duration, size } from './text.js';

/** A name that anybody may have chosen: text, of its own direction, cut by the style and not here. */
export const name = (text, title) => html`<bdi class="cut" title=${clean(title ?? text).slice(0, 2000)}>${clean(text)}</bdi>`;
export const time = at => at ? html`<time datetime=${at} title=${at}>${clock(at)}</time>` : '-';
/** Links lead nowhere in a report, which has one view. */
export const hash = value => value === null || value === undefined ? '-'
    : !report ? html`<a href="#/datasets/${value}"><code>${value.slice(0, 12)}</code></a>` : html`<code>${value.slice(0, 12)}</code>`;
export const action = (workflow, id) => report ? `${workflow}/${id}` : html`<a href="#/workflows/${workflow}/actions/${id}">${workflow}/${id}</a>`;

/** Word, shape and colour of a state. */
const STATES = {
    FINISHED: ['✓', 'good', 'finished'], FAILED: ['✗', 'bad', 'failed'], KILLED: ['⊘', 'bad', 'ended'], CANCELLED: ['⊝', 'bad', 'cancelled'], RUNNING: ['▶', 'busy', 'running'],
    PAUSED: ['‖', 'waiting', 'paused'], ARMED: ['▷', 'busy', 'handed out'], READY: ['◆', 'waiting', 'ready'], WAITING: ['◇', 'waiting', 'waiting'], SUBMITTED: ['◇', 'waiting', 'submitted'],
    TO_STORE: ['▶', 'busy', 'being made'], TO_LEAF: ['▶', 'busy', 'being made'], TO_DELETE: ['▶', 'busy', 'being made'], STORED: ['■', 'good', 'stored'], LEAF: ['★', 'good', 'result'], PROCESSING: ['▶', 'busy', 'being made'],
    STORED_TO_DELETE: ['□', 'waiting', 'to be deleted'], DELETING: ['□', 'waiting', 'being deleted'], DELETED: ['×', 'idle', 'deleted'],
    reuse: ['↺', 'good', 'reused'], join: ['⇉', 'good', 'joined'], skip: ['–', 'idle', 'not needed'], compute: ['●', 'busy', 'to compute'],
};
export function state(value) {
    const [shape, colour, word] = STATES[value] || ['?', 'idle', String(value ?? 'nothing').toLowerCase()];
    return html`<span class="badge ${colour}"><span aria-hidden="true">${shape}</span> ${word}</span>`;
}
/** Of a dataset, whose bytes are in hand where an action would be. */
export const datasetState = value => state(value === 'PROCESSING' ? 'DELETING' : value);
export const colourOf = value => (STATES[value] || ['', 'idle'])[1];
export const shapeOf = value => (STATES[value] || ['?'])[0];

/** Used of what was wanted: in words, and as a bar. */
export const memory = row => row.maxRssBytes === null ? '-' : html`${size(row.maxRssBytes)}${row.memoryMB ? html` of ${size(row.memoryMB * 1e6)} <meter min="0" max=${row.memoryMB * 1e6} high=${row.memoryMB * 9e5} value=${row.maxRssBytes} aria-label="memory used of what was wanted"></meter>` : nothing}`;
export const processor = row => row.userMs === null ? '-' : duration(row.userMs + row.systemMs);

/** [[what, value], ...] */
export const figures = list => html`<ul class="figures">${list.map(([what, value]) => html`<li><b>${value}</b><span>${what}</span></li>`)}</ul>`;

/** columns: [[heading, row => cell, 'n' for numbers], ...] */
export const table = (caption, columns, rows) => html`<div class="wide" role="region" aria-label=${caption}><table>
    <thead><tr>${columns.map(([heading, , kind]) => html`<th scope="col" class=${kind || nothing}>${heading}</th>`)}</tr></thead>
    <tbody>${rows.map(row => html`<tr>${columns.map(([, cell, kind]) => html`<td class=${kind || nothing}>${cell(row)}</td>`)}</tr>`)}</tbody>
</table></div>`;

const pressed = new WeakSet();
/** Does what a button is for; a press before that is done is none. */
async function press(button, code) {
    if (pressed.has(button))
        return;
    pressed.add(button);
    try {
        await code();
    } finally {
        pressed.delete(button);
    }
}
/** A button; one that would be refused cannot be pressed, and reason() beside it says why. */
export const deed = (word, code, refused, title) => html`<button @click=${event => press(event.currentTarget, code)} ?disabled=${Boolean(refused)} title=${title || nothing}>${word}</button>`;
export const reason = refused => refused ? html`<span class="faint">${clean(refused)}</span>` : nothing;

export const notice = (text, isWrong) => html`<p class="notice ${isWrong ? 'wrong' : ''}" role=${isWrong ? 'alert' : 'status'}>${text}</p>`;

/** Parts of a whole as a bar, each told in words: [[word, n, colour], ...] */
export function bar(parts) {
    const all = parts.reduce((sum, [, n]) => sum + n, 0) || 1, shown = parts.filter(([, n]) => n > 0);
    return html`<div class="bar" role="img" aria-label=${shown.map(([word, n]) => `${n} ${word}`).join(', ') || 'nothing'}>
        ${shown.map(([, n, colour]) => html`<i class=${colour} .style=${`width: ${n / all * 100}%`}></i>`)}</div>`;
}

/** Ways to choose one of a few, as buttons that the keyboard reaches: [[value, word], ...] */
export const choice = (label, list, now, choose) => html`<div class="row" role="group" aria-label=${label}>${list.map(([value, word]) =>
    html`<button aria-pressed=${value === now ? 'true' : 'false'} @click=${() => choose(value)}>${word}</button>`)}</div>`;

/** For how long: choices of what is summed. */
export const DAYS = [['1', 'a day'], ['7', '7 days'], ['30', '30 days'], ['365', 'a year']];

/** Gives the reader a file. */
export function give(file, blob) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** What is shown, to be kept: as JSON and as CSV.  In CSV text that a spreadsheet would take for a formula has ' before it. */
export function save(file, rows) {
    const cell = value => {
        const plain = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
        const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${plain}` : plain;
        return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
    };
    const csv = () => rows.length === 0 ? '' : [Object.keys(rows[0]), ...rows.map(Object.values)].map(row => row.map(cell).join(',')).join('\r\n') + '\r\n';
    return html`<div class="row"><button @click=${() => give(`${file}.csv`, new Blob([csv()], { type: 'text/csv' }))}>CSV</button>
        <button @click=${() => give(`${file}.json`, new Blob([JSON.stringify(rows, null, 1)], { type: 'application/json' }))}>JSON</button></div>`;
}

const PAGES_RENEWED = 4;
/** A list that is told page by page: { rows, more } where more() fetches the next page, or is undefined. */
export class Pages {
    constructor(api, path) {
        Object.assign(this, { api, path, rows: [], next: '' });
    }
    /** The next page; once, however often it is asked for meanwhile. */
    more() {
        this.coming ??= this.fetch().finally(() => { this.coming = undefined; });
        return this.coming;
    }
    async fetch() {
        const page = await this.api.get(this.path + (this.next ? `${this.path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(this.next)}` : ''));
        this.rows.push(...page.items);
        this.next = page.next;
        return this;
    }
    /** As many as that, or all. */
    async upTo(most) {
        do
            await this.more();
        while (this.next && this.rows.length < most);
        return this;
    }
    /** The same list as it is now, as far as it was told: rows that changed, and new ones before them. keyOf(row): what tells it apart. */
    async renewed(keyOf) {
        const now = new Pages(this.api, this.path);
        for (let n = 0; n < PAGES_RENEWED && (n === 0 || now.next && now.rows.length < this.rows.length); n++)
            await now.more();
        if (now.next && now.rows.length < this.rows.length) {
            const fresh = new Set(now.rows.map(keyOf));
            now.rows.push(...this.rows.filter(row => !fresh.has(keyOf(row))));
            now.next = this.next;
        }
        return now;
    }
    /** Shows the next page by draw, and what is wrong where it cannot be had. */
    button(draw) {
        const show = async () => {
            this.said = await this.more().then(() => '', error => error.message);
            draw(this);
        };
        return html`${this.said ? notice(this.said, true) : nothing}${this.next ? html`<p><button @click=${show}>Show more</button></p>` : nothing}`;
    }
}
