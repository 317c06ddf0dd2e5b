// datasets.js - what there is, and one dataset: where it came from, its generations, what it holds.
import { html, nothing } from '../lib/lit-html.js';
import { choice, datasetState, figures, give, hash, name, notice, Pages, save, state, table, time } from '../parts/parts.js';
import { canBeTold, clean, duration, number, plural, size } from '../parts/text.js';

const SORTS = [['age', 'newest first'], ['size', 'largest first'], ['value', 'most valuable first'], ['name', 'by name']];
const MOST = 65536;

export async function Datasets({ api, parameters, draw, title, live }) {
    const sort = SORTS.some(([value]) => value === parameters.sort) ? parameters.sort : 'age';
    title('Datasets');
    const query = new URLSearchParams({ sort, ...(parameters.name ? { name: parameters.name } : {}) });
    let pages = new Pages(api, `/v1/datasets?${query}`);
    const to = changes => { location.hash = `#/datasets?${new URLSearchParams(Object.entries({ ...parameters, ...changes }).filter(([, value]) => value))}`; };
    const again = () => draw(html`<h1>Datasets</h1>
        <form class="row" @submit=${event => { event.preventDefault(); to({ name: new FormData(event.target).get('name') }); }}>
            <label for="name">Name</label><input id="name" name="name" type="search" .value=${parameters.name || ''}><button>Search</button></form>
        ${choice('Order', SORTS, sort, value => to({ sort: value }))}
        ${pages.rows.length === 0 ? notice('There is no such dataset.') : html`${table('Datasets', [['Dataset', row => hash(row.hash)], ['State', row => datasetState(row.state)], ['Name', row => name(row.name)],
        ['Size', row => size(row.sizeBytes), 'n'], ['Made', row => time(row.made)], ['Took', row => duration(row.computeMs), 'n'], ['Saved', row => duration(row.valueMs), 'n'], ['User', row => name(row.user ?? '-')]], pages.rows)}
        ${pages.button(again)}${save('datasets', pages.rows)}`}`);
    await live(async () => {
        pages = await pages.renewed(row => row.hash);
        again();
    });
}

/** The tree of who it was made of; what stands elsewhere already is only named. */
function tree(actions, root) {
    const all = new Map(actions.map(one => [one.hash, one])), seen = new Set();
    const line = (one, as) => html`${as ? html`<span class="faint">${name(as)} ←</span> ` : nothing}${hash(one.hash)} ${name(one.name)} ${datasetState(one.state)} <span class="faint">${duration(one.computeMs)}, ${size(one.sizeBytes)}</span>`;
    const branch = (value, as, depth) => {
        const one = all.get(value);
        if (!one)
            return html`<li>${as ? `${clean(as)} ← ` : ''}${hash(value)}</li>`;
        if (seen.has(value) || depth > 60)
            return html`<li>${line(one, as)} <span class="faint">as above</span></li>`;
        seen.add(value);
        return html`<li>${line(one, as)}
            ${one.inputs.length ? html`<ul class="tree">${one.inputs.map(input => html`<li class="faint">original ${name(input.path ?? input.name ?? JSON.stringify(input))}</li>`)}</ul>` : nothing}
            ${one.parents.length ? html`<ul class="tree">${one.parents.map(parent => branch(parent.hash, parent.as, depth + 1))}</ul>` : nothing}</li>`;
    };
    return html`<ul class="tree">${branch(root, '', 0)}</ul>`;
}

/** The actions of the workflow that made it, or will, that read it. */
async function readersOf(api, row) {
    if (!row.workflow || !row.name || !canBeTold(row.name))
        return [];
    const nobody = () => ({ items: [] }), path = `/v1/workflows/${row.workflow}`, named = await api.get(`${path}/actions?${new URLSearchParams({ name: row.name, limit: 50 })}`).catch(nobody);
    const self = named.items.find(one => one.hash === row.hash);
    const near = self ? await api.get(`${path}/graph?around=${self.id}&hops=1`).catch(nobody) : nobody();
    return near.items.filter(one => one.parents.some(parent => parent.id === self.id));
}

const command = one => one?.description?.command ? html`<h2>Command</h2><pre tabindex="0"><bdi>${clean(one.description.command)}</bdi></pre>` : nothing;

export async function Dataset({ api, parameters, draw, title, live }) {
    const path = `/v1/datasets/${encodeURIComponent(parameters.hash)}`;
    let shown, wrong;
    const load = async () => {
        const [row, origin, evictions] = await Promise.all([api.get(path), api.get(`${path}/provenance?limit=200`), api.get(`/v1/pool/evictions?dataset=${encodeURIComponent(parameters.hash)}`)]);
        const readers = await readersOf(api, row);
        title(`Dataset ${row.hash.slice(0, 12)}`);
        const isThere = ['STORED', 'LEAF', 'STORED_TO_DELETE'].includes(row.state);
        const read = async () => {
            wrong = undefined;
            try {
                const answer = await api.send('GET', `${path}/content`, undefined, row.sizeBytes > 0 ? { Range: `bytes=0-${MOST - 1}` } : {});
                const isText = !/tar/.test(answer.headers.get('content-type') || '');
                shown = isText ? await answer.text() : 'It is a directory; save it as a tar file instead.';
                if (!isText)
                    await answer.body.cancel(); // a tar has no ranges
            } catch (error) {
                wrong = error.message;
            }
            again();
        };
        const keep = async () => {
            wrong = undefined;
            try {
                const answer = await api.send('GET', `${path}/content`);
                give(row.hash.slice(0, 12) + (/tar/.test(answer.headers.get('content-type') || '') ? '.tar' : ''), await answer.blob());
            } catch (error) {
                wrong = error.message;
                again();
            }
        };
        const again = () => draw(html`<h1>Dataset ${name(row.name)}</h1>
            <p><code>${row.hash}</code> ${datasetState(row.state)}</p>
            ${figures([['size', size(row.sizeBytes)], ['took', duration(row.computeMs)], ['saved so far', duration(row.valueMs)], ['generation', number(row.generation)], ['read by now', plural(row.claims, 'action')]])}
            ${table('Dataset', [['What', line => line[0]], ['', line => line[1]]], [['Made', time(row.made)], ['Last used', time(row.lastUsed)], ['By', html`${name(row.user ?? '-')}${row.workflow ? html`, workflow <a href="#/workflows/${row.workflow}">${row.workflow}</a>` : ''}`],
        ['Kept', row.keep ? name(typeof row.keep === 'object' ? JSON.stringify(row.keep) : row.keep) : row.leaf ? 'as a result' : 'no'], ['Path', html`<code><bdi>${clean(row.path ?? '-')}</bdi></code>`],
        ['Content', html`<code>${row.content ?? '-'}</code>`], ['Differed', row.wasDifferent ? html`<strong class="bad">yes: the same action made other bytes once</strong>` : row.generation > 1 ? 'no: made again, it was the same' : 'it was made once'],
        ...(row.adoptedFrom ? [['Adopted from', name(row.adoptedFrom)]] : [])])}
            ${command(origin.actions.find(one => one.hash === row.hash))}
            <h2>Where it came from</h2>${tree(origin.actions, row.hash)}${origin.more ? notice('There is more, further up; only the nearest are shown.') : nothing}
            ${readers.length === 0 ? nothing : html`<h2>Who reads it</h2>${table('Who reads it', [['Action', one => html`<a href="#/workflows/${row.workflow}/actions/${one.id}">${one.id}</a>`], ['Name', one => name(one.name)], ['State', one => state(one.state)]], readers)}
            <p class="faint">In workflow ${row.workflow}; others may read it, too.</p>`}
            <h2>Generations</h2>${evictions.items.length === 0 ? html`<p>It was never evicted; this is generation ${number(row.generation)}.</p>` : table('Generations that went', [['Evicted', line => time(line.at)],
        ['By', line => line.algorithm], ['Size', line => size(line.sizeBytes), 'n'], ['Made again', line => time(line.remade)], ['Regret', line => duration(line.regretMs), 'n']], evictions.items)}
            <h2>Content</h2>${isThere ? html`<p>It is held while it is read.</p><div class="row"><button @click=${read}>Show</button><button @click=${keep}>Save</button></div>` : notice('Its bytes are not there now.')}
            ${wrong ? notice(wrong, true) : nothing}${shown === undefined ? nothing : html`<pre tabindex="0"><bdi>${clean(shown)}</bdi></pre>${row.sizeBytes > MOST ? notice(`Only the first ${size(MOST)} are shown.`) : nothing}`}`);
        again();
    };
    await live(load);
}
