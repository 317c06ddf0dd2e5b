// workflow.js - one submission: how far it is, and its actions as groups, as cells, in time, as a list, and along the way that took longest.
import { html, nothing } from '../lib/lit-html.js';
import { graph } from '../parts/graph.js';
import { action, choice, deed, figures, name, notice, Pages, reason, save, state, table, time } from '../parts/parts.js';
import { Matrix } from '../parts/matrix.js';
import { heading } from '../parts/workflows.js';
import { canBeTold, clean, duration, ms, number, size } from '../parts/text.js';
import { LOOKED_AT, timeline } from '../parts/timeline.js';

const SHOWN = [['graph', 'Graph'], ['matrix', 'Every action'], ['timeline', 'Timeline'], ['list', 'List'], ['path', 'Critical path'], ['text', 'Definition']];
const ALL_FAILED = 'FAILED,KILLED,CANCELLED'; // as counts have it
const STATES = [['', 'all'], ['FAILED', 'failed'], [ALL_FAILED, 'failed, ended or cancelled'], ['RUNNING', 'running'], ['READY', 'ready'], ['WAITING', 'waiting'], ['FINISHED', 'finished'], ['NONE', 'reused or not needed']];
const MOST_TEXT = 1 << 20;

/** What came of what was decided. */
function plan({ summary, counts }) {
    const rows = [['to compute', summary.compute, html`${number(counts.finished)} finished, ${number(counts.failed)} failed, ${number(counts.running + counts.ready + counts.waiting)} to go`],
        ['reused', summary.reuse, 'their datasets were there'], ['joined', summary.join, 'an equal action computed them'], ['not needed', summary.skip, 'nothing asked for them']];
    return table('Plan', [['Decided', row => row[0]], ['Actions', row => number(row[1]), 'n'], ['What came', row => row[2]]], rows.filter(row => row[1] > 0));
}

/** The run before of the same name, next to this one. */
function comparison(run, cost, before) {
    const took = one => one.ended ? duration(ms(one.ended) - ms(one.submitted)) : 'still runs';
    return html`<h2>Compared with the run before</h2>${table('Compared with the run before', [['', row => row[0]], [html`Workflow ${run.workflow}`, row => row[1], 'n'], [html`<a href="#/workflows/${before.run.workflow}">Workflow ${before.run.workflow}</a>`, row => row[2], 'n']],
        [['Took', took(run), took(before.run)], ['Computed', number(run.summary.compute), number(before.run.summary.compute)], ['Reused', number(run.summary.reuse), number(before.run.summary.reuse)],
            ['Failed', number(run.counts.failed), number(before.run.counts.failed)], ['Computed for', duration(cost.wallMs), duration(before.cost.wallMs)], ['Saved', duration(cost.savedMs), duration(before.cost.savedMs)]])}`;
}

// ---- what is shown of its actions: each an async function of the view's things that gives a template's function ------

const parts = {
    async graph({ api, path }) {
        const groups = (await api.get(`${path}/groups`)).items;
        return () => html`${graph(groups)}${groups.length > 400 ? notice('There are too many groups to draw: the list has them.') : nothing}`;
    },
    async matrix(view) {
        const { api, path, workflow } = view;
        if (!view.matrix) {
            const matrix = view.matrix = new Matrix(await api.get(`${path}/states?depths=true`), id => { location.hash = `#/workflows/${workflow}/actions/${id}`; });
            api.listen((event, data) => {
                if (event === 'action')
                    JSON.parse(data).filter(change => change.workflow === workflow).forEach(change => matrix.change(change.action, change.to));
            }, view.left);
        } else
            view.matrix.renew((await api.get(`${path}/states`)).states);
        return () => view.matrix.template();
    },
    async timeline({ api, path }) {
        const pages = await new Pages(api, `${path}/attempts?limit=1000`).upTo(LOOKED_AT);
        const last = new Map(pages.rows.map(row => [row.id, row.state === 'exited' ? row.exitCode === 0 ? 'FINISHED' : 'FAILED' : row.ended ? 'FAILED' : 'RUNNING']));
        return () => timeline(pages.rows, last, !pages.next);
    },
    async list(view) {
        const { api, path, parameters, workflow, go } = view;
        const query = new URLSearchParams([['limit', '100'], ...['state', 'name'].filter(key => parameters[key]).map(key => [key, parameters[key]])]);
        view.pages = view.pages ? await view.pages.renewed(row => row.id) : await new Pages(api, `${path}/actions?${query}`).more();
        return again => html`${choice('State', STATES, parameters.state || '', value => go({ state: value }))}
            <form class="row" role="search" @submit=${event => { event.preventDefault(); go({ name: new FormData(event.target).get('name') }); }}>
            <label for="name">Name, or a pattern such as align-*</label><input id="name" name="name" type="search" .value=${parameters.name || ''}><button>Show</button></form>
            ${view.pages.rows.length === 0 ? notice('None is like that.') : html`${table('Actions', [['No.', row => action(workflow, row.id)], ['Name', row => name(row.name)], ['State', row => state(row.state ?? row.decision)],
        ['Tries', row => row.attempts, 'n'], ['Started', row => time(row.started)], ['Time', row => duration(row.wallMs), 'n'], ['Memory', row => size(row.maxRssBytes), 'n'], ['Node', row => name(row.node ?? '-')],
        ['Says', row => name(row.message ?? '')]], view.pages.rows)}${view.pages.button(page => { view.pages = page; again(); })}${save(`actions-${workflow}`, view.pages.rows)}`}`;
    },
    async path({ api, path, workflow }) {
        const steps = (await api.get(`${path}/critical`)).items;
        return () => steps.length === 0 ? notice('Nothing has run yet.') : html`<p>The chain of actions that took longest: nothing else would have made this run shorter.</p>
            ${table('Critical path', [['No.', row => action(workflow, row.id)], ['Name', row => name(row.name)], ['Time', row => duration(row.wallMs), 'n'], ['Started', row => time(row.startedAt)], ['Ended', row => time(row.endedAt)]], steps)}`;
    },
    async text(view) {
        const text = view.text ??= await view.api.text(`${view.path}/text`); // it never changes
        let said = '';
        const copy = async again => {
            said = await navigator.clipboard.writeText(text).then(() => 'It was copied.', () => 'The browser did not let it be copied.');
            again();
        };
        return again => html`<p><button @click=${() => copy(again)}>Copy</button> <span class="faint" role="status">${said}</span></p><pre tabindex="0"><bdi>${clean(text.slice(0, MOST_TEXT))}</bdi></pre>${text.length > MOST_TEXT ? notice('There is more; Copy takes all of it.') : nothing}`;
    },
};

/** Buttons for what can be done now; what ends work asks once more. */
function deeds(view, run, again) {
    const act = async (what, text) => {
        view.said = undefined;
        try {
            await view.api.send('POST', `${view.path}/${what}`);
            view.said = notice(text);
        } catch (error) {
            view.said = notice(error.message, true);
        }
        view.isAsked = false;
        again();
    };
    const button = (word, code, refused = view.refused) => deed(word, code, refused);
    const rerun = async () => {
        try {
            location.hash = `#/workflows/${await view.api.rerun(view.workflow)}`;
        } catch (error) {
            view.said = notice(error.message, true);
            again();
        }
    };
    if (run.ended)
        return html`<div class="row">${button('Run again', rerun, view.refusedOwn)}${reason(view.refusedOwn)}</div>${view.said ?? nothing}`;
    return html`<div class="row" role="group" aria-label="What can be done">${run.state === 'PAUSED' ? button('Go on', () => act('resume', 'It goes on.')) : button('Pause', () => act('pause', 'Nothing more of it is started.'))}
        ${button(view.isAsked ? 'No' : 'End', () => { view.isAsked = !view.isAsked; again(); })}${view.isAsked ? button('Really end it', () => act('kill', 'It is being ended.')) : nothing}${reason(view.refused)}</div>${view.said ?? nothing}`;
}

export async function Workflow({ api, parameters, draw, title, live, left }) {
    const shown = parts[parameters.show] ? parameters.show : 'graph', workflow = await api.numberOf(parameters.workflow), path = `/v1/workflows/${workflow}`;
    const go = changes => { location.hash = `#/workflows/${workflow}?${new URLSearchParams(Object.entries({ show: shown, state: parameters.state, name: parameters.name, ...changes }).filter(([, value]) => value))}`; };
    const view = { api, path, parameters, workflow, go, left };
    let cost, before;
    const load = async () => {
        const run = await api.get(path);
        // Run again makes a submission of one's own.
        [view.refused, view.refusedOwn] = await Promise.all([api.refusal(run.user), api.refusal()]);
        title(`${clean(run.name ?? '').slice(0, 80)} ${run.workflow}`);
        // Of what runs it changes with each action, and takes as long as it is large.
        cost = cost && !run.ended ? cost : await api.get(`${path}/cost`);
        if (before === undefined && run.name && canBeTold(run.name)) {
            const found = (await api.get(`/v1/workflows?${new URLSearchParams({ name: run.name, until: run.submitted, limit: '1' })}`)).items[0];
            before = found ? { run: found, cost: await api.get(`/v1/workflows/${found.workflow}/cost`).catch(() => ({})) } : null;
        }
        const part = await parts[shown](view);
        const again = () => draw(html`${heading(run)}
            ${figures([['actions', number(run.actionCount)], ['finished', number(run.counts.finished)], ['failed', number(run.counts.failed)], ['running', number(run.counts.running)], ['reused', number(run.summary.reuse)],
        ['took', duration((run.ended ? ms(run.ended) : Date.now()) - ms(run.submitted))], ['computed for', duration(cost.wallMs)], ['saved by reuse', duration(cost.savedMs)], ['critical path', duration(cost.criticalMs)]])}
            ${deeds(view, run, again)}
            ${run.counts.failed > 0 && shown !== 'list' ? html`<p><a href="#/workflows/${workflow}?show=list&state=${run.state === 'KILLED' ? ALL_FAILED : 'FAILED'}">What ${run.state === 'KILLED' ? 'was ended' : 'failed'}</a></p>` : nothing}
            ${choice('What is shown', SHOWN, shown, value => go({ show: value, state: '', name: '' }))}
            ${part(again)}
            <h2>Plan, and what came</h2>${plan(run)}${before ? comparison(run, cost, before) : nothing}`);
        again();
    };
    await live(load);
}
