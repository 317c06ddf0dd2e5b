// action.js - one action of a submission: what it does and of what, how its attempts went, what it printed, as it prints it, and why it ran.
import { html, nothing, svg } from '../lib/lit-html.js';
import { colourOf, deed, figures, hash, memory, name, notice, processor, reason, shapeOf, state, table, time } from '../parts/parts.js';
import { clean, duration, number, plural, shortened, size } from '../parts/text.js';

const MOST = 262144; // characters of a log that are shown
const W = 170, H = 34;

/** The actions around it: layers from left to right, each a link. */
function around(near, workflow, id) {
    if (near.length < 2)
        return html`<p>Nothing leads to it, and nothing comes of it.</p>`;
    const at = new Map(near.map(one => [one.id, one])), x = one => one.layer * (W + 50) + 4, y = one => one.place * (H + 12) + 4;
    const width = Math.max(...near.map(x)) + W + 4, height = Math.max(...near.map(y)) + H + 4;
    const hidden = near.reduce((sum, one) => sum + one.hidden, 0);
    return html`<div class="wide" role="region" aria-label="Graph around this action"><svg class="draw" viewBox="0 0 ${width} ${height}" width=${width} height=${height} role="group" aria-label="Graph of ${near.length} actions">
        ${near.flatMap(one => one.parents.map(({ id: parent }) => at.get(parent)).filter(Boolean).map(from => svg`<path class="line" d="M${x(from) + W} ${y(from) + H / 2} C${x(from) + W + 25} ${y(from) + H / 2} ${x(one) - 25} ${y(one) + H / 2} ${x(one)} ${y(one) + H / 2}"></path>`))}
        ${near.map(one => svg`<a href="#/workflows/${workflow}/actions/${one.id}"><rect class="box ${one.id === id ? 'this' : ''}" x=${x(one)} y=${y(one)} width=${W} height=${H} rx="4"></rect>
            <text class=${colourOf(one.state)} x=${x(one) + 8} y=${y(one) + 21}>${shapeOf(one.state)}</text><text x=${x(one) + 26} y=${y(one) + 21}>${shortened(`${one.id} ${one.name}`, 20)}</text></a>`)}</svg></div>
        ${hidden ? html`<p class="faint">${plural(hidden, 'more neighbour')} not shown.</p>` : nothing}`;
}

/** One log, which grows while the action runs and is looked at; it is kept to its end. A tab that is hidden follows none: a browser has
 *  six connections for all of them, and the end of the log is there again once it is shown. */
class Log {
    constructor(api, path, id, left) {
        Object.assign(this, { api, path, id, left, text: '', isOpen: false });
    }
    async open(again) {
        Object.assign(this, { isOpen: true, text: '', said: '' });
        again();
        const hides = new AbortController(), signal = AbortSignal.any([this.left, hides.signal]);
        document.addEventListener('visibilitychange', () => document.hidden && hides.abort(), { signal });
        try {
            const answer = await this.api.send('GET', `${this.path}?follow=1&tail=65536`, undefined, {}, signal);
            const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
            for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
                this.text = (this.text + piece.value).slice(-MOST);
                const shown = document.getElementById(this.id);
                if (!shown) {
                    await reader.cancel();
                    break;
                }
                const isAtEnd = shown.scrollTop + shown.clientHeight >= shown.scrollHeight - 8;
                shown.textContent = clean(this.text);
                if (isAtEnd)
                    shown.scrollTop = shown.scrollHeight;
            }
            this.said = this.text ? '' : 'It printed nothing.';
        } catch (error) {
            if (hides.signal.aborted) {
                await new Promise(done => document.addEventListener('visibilitychange', done, { once: true, signal: this.left }));
                return this.open(again);
            }
            this.isOpen = false; // it can be opened once more
            this.said = error.status === 404 ? 'There is no log of it.' : error.message;
        } finally {
            hides.abort();
        }
        return again();
    }
    template(word, again) {
        return html`<details @toggle=${event => { if (event.target.open && !this.isOpen) this.open(again); }}><summary>${word}</summary>
            ${this.said ? html`<p class="faint">${this.said}</p>` : nothing}<pre id=${this.id} tabindex="0" role="log" aria-label=${word}></pre></details>`;
    }
}

function differences(why, workflow) {
    return html`<p>${why.reason ? `It was to be computed: ${why.reason}.` : `Decided: ${why.decision ?? '-'}.`}${why.nearest?.workflow ? html` Nearest to it: <a href="#/workflows/${why.nearest.workflow}">workflow ${why.nearest.workflow}</a>.` : nothing}</p>
        ${why.differences.length ? table('What differs', [['What', row => name(row.field)], ['Before', row => name(row.before ?? '-')], ['Now', row => name(row.after ?? '-')], ['Files', row => number(row.changedFiles), 'n']], why.differences) : nothing}
        ${why.inherited ? html`<p>${plural(why.inherited, 'difference')} came from its parents.</p>` : nothing}<p class="faint">As <code>pingo why ${workflow} ${why.id}</code> says it.</p>`;
}
const text = value => value === null || value === undefined ? '-' : typeof value === 'object' ? JSON.stringify(value) : value;

export async function Action({ api, parameters, draw, title, live, left }) {
    const workflow = await api.numberOf(parameters.workflow), path = `/v1/workflows/${workflow}/actions/${encodeURIComponent(parameters.action)}`;
    const none = fallback => () => fallback;
    const logs = new Map();
    let script, said, isAsked = false, hops = 2;
    const logOf = (key, where) => { if (!logs.has(key)) logs.set(key, new Log(api, where, `log-${key}`, left)); return logs.get(key); };
    const load = async () => {
        const row = await api.get(path);
        const [run, tries, reasons, near, origin] = await Promise.all([api.get(`/v1/workflows/${workflow}`), api.get(`${path}/attempts?limit=200`), api.get(`${path}/why`).catch(none(null)),
            api.get(`/v1/workflows/${workflow}/graph?around=${row.id}&hops=${hops}`).catch(none({ items: [] })), api.get(`/v1/datasets/${row.hash}/provenance?limit=1`).catch(none({ actions: [] }))]);
        title(`${clean(row.name).slice(0, 80)} ${workflow}/${row.id}`);
        const [refused, refusedOwn] = await Promise.all([api.refusal(run.user), api.refusal()]);
        const what = origin.actions[0], hasFailed = ['FAILED', 'KILLED', 'CANCELLED'].includes(row.state), isOver = hasFailed || row.state === null || row.state === 'FINISHED';
        // Of the rest of its workflow what is there is reused.
        const rerun = async () => {
            try {
                location.hash = `#/workflows/${await api.rerun(workflow)}/actions/${row.id}`;
            } catch (error) {
                said = notice(error.message, true);
                again();
            }
        };
        const kill = async () => {
            said = await api.send('POST', `${path}/kill`).then(() => notice('It is being ended.'), error => notice(error.message, true));
            isAsked = false;
            again();
        };
        const showScript = async () => {
            script = await api.send('GET', `${path}/script`).then(answer => answer.text(), error => error.message);
            again();
        };
        const again = () => draw(html`<p><a href="#/workflows/${workflow}">Workflow ${workflow}</a></p><h1>${name(row.name)}</h1>
            <p>${state(row.state ?? row.decision)} Action ${row.id}, dataset ${hash(row.hash)}${row.message ? html`: ${name(row.message)}` : nothing}</p>
            ${figures([['tries', number(row.attempts)], ['time', duration(row.wallMs)], ['processor time', processor(row)], ['memory', size(row.maxRssBytes)], ['wanted', row.memoryMB ? size(row.memoryMB * 1e6) : '-'], ['exit code', row.exitCode ?? '-']])}
            <div class="row" role="group" aria-label="What can be done">${isOver ? nothing : html`${deed(isAsked ? 'No' : 'End', () => { isAsked = !isAsked; again(); }, refused)}${isAsked ? deed('Really end it', kill) : nothing}`}
                ${hasFailed ? deed('Run again', rerun, refusedOwn, 'The workflow is submitted once more: what is there is reused, what failed is made') : nothing}
                <button @click=${showScript}>Script to repeat it by hand</button>${reason(isOver ? hasFailed && refusedOwn : refused)}</div>${said ?? nothing}${script ? html`<pre tabindex="0"><bdi>${clean(script)}</bdi></pre>` : nothing}
            ${what?.description?.command ? html`<h2>Command</h2><pre tabindex="0"><bdi>${clean(text(what.description.command))}</bdi></pre>` : nothing}
            ${what && what.inputs.length + what.parents.length ? html`<h2>Inputs</h2>${table('Inputs', [['As', line => name(line.as ?? line.name ?? '-')], ['What', line => line.hash ? hash(line.hash) : name(line.path ?? line.uri ?? '-')], ['Size', line => size(line.sizeBytes), 'n']], [...what.inputs, ...what.parents])}` : nothing}
            <h2>Attempts</h2>${tries.items.length === 0 ? notice(isOver ? 'It was not tried in this submission.' : 'None yet.') : table('Attempts', [['Try', one => one.epoch, 'n'], ['How it ended', one => name(one.state)], ['Exit', one => one.exitCode ?? '-', 'n'], ['Signal', one => one.signal ?? '-', 'n'],
        ['Started', one => time(one.started)], ['Time', one => duration(one.wallMs), 'n'], ['Processor', processor, 'n'], ['Memory', memory, 'n'], ['Executor', one => name(one.executor ?? '-')], ['Node', one => name(one.node ?? '-')]], tries.items)}
            <h2>What it printed</h2>${tries.items.length === 0 ? html`${logOf('stdout', `${path}/stdout`).template('Standard output', again)}${logOf('stderr', `${path}/stderr`).template('Standard error', again)}`
        : tries.items.map(one => ['stdout', 'stderr'].map(stream => logOf(`${stream}-${one.epoch}`, `${path}/attempts/${one.epoch}/${stream}`).template(`Try ${one.epoch}: ${stream === 'stdout' ? 'standard output' : 'standard error'}`, again)))}
            ${reasons ? html`<h2>Why</h2>${differences(reasons, workflow)}` : nothing}
            <h2>Around it</h2>${around(near.items, workflow, row.id)}<p><button @click=${() => { hops += 2; load().catch(error => { said = notice(error.message, true); again(); }); }}>Look further</button></p>`);
        again();
    };
    await live(load);
}
