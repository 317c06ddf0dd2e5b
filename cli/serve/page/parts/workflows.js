// workflows.js - submissions as a table, for each view that lists some.
import { html, nothing } from '../lib/lit-html.js';
import { bar, name, state, table, time } from './parts.js';
import { duration, ms, number } from './text.js';

/** What became of its actions, [[word, n, colour], ...]. */
export function progress({ counts, summary }) {
    return [['finished', counts.finished, 'good'], ['reused', summary.reuse, 'reused'], ['not needed', summary.skip, 'idle'], ['failed', counts.failed, 'bad'],
        ['running', counts.running - counts.armed, 'busy'], ['handed out', counts.armed, 'busy'], ['ready', counts.ready, 'waiting'], ['waiting', counts.waiting, 'empty']];
}

export const link = row => html`<a href="#/workflows/${row.workflow}">${row.workflow}</a>`;

/** The same in words; a number stays with its word. */
export const words = row => progress(row).filter(([, n]) => n > 0).map(([word, n], i) => html`${i ? ', ' : ''}<span class="nobreak">${number(n)} ${word}</span>`);
const took = row => duration((row.ended ? ms(row.ended) : Date.now()) - ms(row.submitted));

/** costs: a map from number to what GET /v1/workflows/N/cost said, as far as it is known; or nothing, and no such columns. */
export function workflowTable(caption, rows, costs) {
    const cost = (row, key, text) => costs.has(row.workflow) ? text(costs.get(row.workflow)[key]) : row.ended ? '…' : '-';
    return table(caption, [['No.', link, 'n'],
        ['Name', row => html`${name(row.name)}${row.tag ? html`<span class="faint">${name(row.tag)}</span>` : nothing}`],
        ['User', row => name(row.user)], ['State', row => state(row.state)],
        ['Actions', row => html`${bar(progress(row))}<span class="faint small">${words(row)}</span>`],
        ['Submitted', row => time(row.submitted)], ['Took', took, 'n'],
        ...(costs ? [['Computed for', row => cost(row, 'wallMs', duration), 'n'], ['Saved', row => cost(row, 'savedMs', duration), 'n']] : [])], rows);
}

/** The rows of a list as a file has them: flat. */
export const flat = (rows, costs) => rows.map(({ counts, summary, drivers, ...row }) => ({ ...row, ...summary, ...counts, ...costs?.get(row.workflow) }));
