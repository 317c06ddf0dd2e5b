// workflows.js - all submissions, the newest first: which run, how far, what they cost and what reuse has saved.
import { html } from '../lib/lit-html.js';
import { notice, Pages, save } from '../parts/parts.js';
import { flat, workflowTable } from '../parts/workflows.js';

const STATES = [['', 'any state'], ['RUNNING', 'running'], ['PAUSED', 'paused'], ['FINISHED', 'finished'], ['FAILED', 'failed'], ['KILLED', 'ended']];
const FILTERS = ['state', 'user', 'name', 'tag', 'since', 'until'];

/** Of those that have ended: that of others changes with each action, and takes as long as they are large. */
async function learnCosts(api, rows, costs) {
    for (const row of rows)
        if (row.ended && !costs.has(row.workflow))
            costs.set(row.workflow, await api.get(`/v1/workflows/${row.workflow}/cost`).catch(() => ({})));
}

function filters(parameters) {
    const go = event => {
        event.preventDefault();
        const given = [...new FormData(event.currentTarget)].filter(([, value]) => value.trim() !== '');
        location.hash = `#/workflows${given.length ? `?${new URLSearchParams(given)}` : ''}`;
    };
    return html`<form class="row" role="search" aria-label="Workflows" @submit=${go}>
        <span class="pair"><label for="state">State</label><select id="state" name="state" @change=${event => event.target.form.requestSubmit()}>${STATES.map(([value, word]) =>
        html`<option value=${value} .selected=${value === (parameters.state || '')}>${word}</option>`)}</select></span>
        ${[['name', 'Name'], ['user', 'User'], ['tag', 'Tag']].map(([key, word]) => html`<span class="pair"><label for=${key}>${word}</label>
            <input id=${key} name=${key} type="search" size="12" autocomplete="off" .value=${parameters[key] || ''}></span>`)}
        ${[['since', 'From'], ['until', 'Before']].map(([key, word]) => html`<span class="pair"><label for=${key}>${word}</label><input id=${key} name=${key} type="date" .value=${parameters[key] || ''}></span>`)}
        <button>Show</button></form>`;
}

export async function Workflows({ api, parameters, draw, title, live }) {
    title('Workflows');
    const given = FILTERS.filter(key => parameters[key]).map(key => [key, parameters[key]]), costs = new Map();
    let pages = new Pages(api, `/v1/workflows?${new URLSearchParams([['limit', '50'], ...given])}`);
    const show = () => draw(html`<h1>Workflows</h1>${filters(parameters)}
        ${pages.rows.length > 0 ? html`${workflowTable('Workflows', pages.rows, costs)}${pages.button(more)}${save('workflows', flat(pages.rows, costs))}`
        : given.length ? notice('None is like that.') : notice(html`Nothing was submitted yet: <code>pingo submit workflow.json</code> does.`)}`);
    const more = async () => {
        show();
        await learnCosts(api, pages.rows, costs);
        show();
    };
    const load = async () => {
        pages = await pages.renewed(row => row.workflow);
        await more();
    };
    await live(load);
}
