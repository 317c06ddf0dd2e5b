// workflows.js - submissions as a table, for each view that lists some.
import { html, nothing } from '../lib/lit-html.js';
import { bar, name, state, table, time } from './parts.js';
import { duration, ms, number } from './text.js';

/** What became of its actions, [[word, n, colour], ...]. */
function progress({ counts, summary }) {
    return [['finished', counts.finished, 'good'], ['reused', summary.reuse, 'reused'], ['not needed', summary.skip, 'idle'], ['failed', counts.failed, 'bad'],
        ['running', counts.running - counts.armed, 'busy'], ['handed out', counts.armed, 'busy'], ['ready', counts.ready, 'waiting'], ['waiting', counts.waiting, 'empty']];
}

const link = row => html`<a href="#/workflows/${row.workflow}">${row.workflow}</a>`;

/** The same in words; a number stays with its word. */
const words = row => progress(row).filter(([, n]) => n > 0).map(([word, n], i) => html`${i ? ', ' : ''}<span class="nobreak">${number(n)} ${word}</span>`);
/** What stands above each view of a run: its name, whose it is, and how far it is. */
export const heading = run => html`<h1>${name(run.name ?? `Workflow ${run.workflow}`)}</h1>
    <p>${state(run.state)} Workflow ${run.workflow} of ${name(run.user ?? '-')}, submitted ${time(run.submitted)}${run.ended ? html`, ended ${time(run.ended)}` : nothing}${run.tag ? html`, tag ${name(run.tag)}` : nothing}</p>
    ${bar(progress(run))}<p class="faint small">${words(run)}</p>`;

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
