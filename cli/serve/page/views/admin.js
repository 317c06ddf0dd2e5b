// admin.js - who may come, what was done by whom, and the settings of the store.
import { html, nothing } from '../lib/lit-html.js';
import { name, notice, Pages, save, table, time } from '../parts/parts.js';

const ROLES = [['viewer', 'viewer: looks at everything'], ['submitter', 'submitter: runs commands as this Unix user'], ['admin', 'admin: all, and everybody\u2019s']];
const LIVES = [['8', '8 hours'], ['168', '7 days'], ['2160', '90 days'], ['', 'until it is revoked']];

const field = (key, word, input) => html`<span class="pair"><label for=${key}>${word}</label>${input}</span>`;
const choose = (key, list, now) => html`<select id=${key} name=${key}>${list.map(([value, text]) => html`<option value=${value} ?selected=${value === now}>${text}</option>`)}</select>`;

const made = token => token ? html`<div class="notice" role="status"><p>The token of ${name(token.name)}, which is not told again:</p><p><code id="made">${token.token}</code></p></div>` : nothing;

function tokens(pages, act, token, show) {
    return html`<h2 id="tokens">Tokens</h2>${pages.rows.length === 0 ? notice('There are none: the page and the socket need none.') : table('Tokens', [['Name', row => name(row.name)], ['User', row => name(row.user)], ['Role', row => row.role],
        ['Made', row => time(row.createdAt)], ['Good until', row => row.expiresAt ? time(row.expiresAt) : 'it is revoked'], ['Used', row => row.usedAt ? time(row.usedAt) : 'not yet'],
        ['', row => html`<button aria-label="Revoke ${row.name}" @click=${() => confirm(`Revoke the token ${row.name.slice(0, 80)}? Whoever has it is refused from now on.`) && act(() => act.revoke(row.name))}>Revoke</button>`]], pages.rows)}
        ${pages.button(show)}${made(token)}
        <form class="row" aria-label="A new token" @submit=${event => { event.preventDefault(); const form = event.currentTarget; act(() => act.create(Object.fromEntries(new FormData(form)), form)); }}>
        ${field('token-name', 'New token', html`<input id="token-name" name="name" required maxlength="64" size="14" autocomplete="off">`)}
        ${field('token-user', 'for user', html`<input id="token-user" name="user" size="10" autocomplete="off" placeholder="you">`)}
        ${field('role', 'as', choose('role', ROLES, 'viewer'))}${field('hours', 'for', choose('hours', LIVES, '2160'))}<button>Create</button></form>`;
}

function settings(rows, act) {
    return html`<h2 id="settings">Settings</h2>${table('Settings', [['Setting', row => html`<code>${row.key}</code><br><span class="faint">${row.meaning}</span>`],
        ['Value', row => html`<form class="row" @submit=${event => { event.preventDefault(); act(() => act.set(row.key, new FormData(event.currentTarget).get('value'))); }}>
            <input name="value" aria-label=${row.key} value=${row.value ?? ''} placeholder=${row.default ?? 'not set'} size="18" autocomplete="off"><button aria-label="Set ${row.key}">Set</button></form>`],
        ['By itself', row => row.default ?? html`<span class="faint">not set</span>`]], rows)}`;
}

const audits = (pages, show) => html`<h2 id="audit">Done by whom</h2>${pages.rows.length === 0 ? notice('Nothing was written through the server yet.') : html`${table('Audit', [['When', row => time(row.at)], ['User', row => name(row.user ?? '-')],
    ['Way in', row => name(row.way ?? '-')], ['What', row => name(row.verb)], ['With', row => name(row.object ?? '-')], ['Result', row => name(row.result ?? '-')]], pages.rows)}${pages.button(show)}${save('audit', pages.rows)}`}`;

export async function Admin({ api, draw, title }) {
    title('Admin');
    let all, list, done, token, said;
    const show = () => draw(html`<h1>Admin</h1><nav class="row" aria-label="Of this view">${[['tokens', 'Tokens'], ['settings', 'Settings'], ['audit', 'Audit']].map(([id, word]) =>
        html`<button @click=${() => document.getElementById(id).scrollIntoView()}>${word}</button>`)}</nav>
        ${said ? html`<div class="stays">${notice(said.text, said.isWrong)}</div>` : nothing}${tokens(list, act, token, show)}${settings(all.items, act)}${audits(done, show)}`);
    const load = async () => {
        [all, list, done] = await Promise.all([api.get('/v1/settings'), new Pages(api, '/v1/tokens?limit=100').more(), new Pages(api, '/v1/audit?limit=50').more()]);
        show();
    };
    const act = async code => {
        token = said = undefined;
        try {
            said = { text: await code() };
            show(); // whatever cannot be loaded: a token is told this once
            await load();
        } catch (error) {
            said = { text: said ? `${said.text} It could not be loaded again: ${error.message}` : error.message, isWrong: true };
            show();
        }
    };
    act.create = async ({ name: called, user, role, hours }, form) => {
        const expiresAt = hours ? new Date(Date.now() + Number(hours) * 36e5).toISOString() : null;
        token = await (await api.send('POST', '/v1/tokens', { name: called, role, expiresAt, ...(user.trim() ? { user: user.trim() } : {}) })).json();
        form.reset();
        return 'It was made.';
    };
    act.revoke = async called => {
        await api.send('DELETE', `/v1/tokens/${encodeURIComponent(called)}`);
        return 'It is good for nothing now.';
    };
    act.set = async (key, value) => {
        await api.send('PATCH', '/v1/settings', { [key]: value === '' ? null : value });
        return `${key} is set.`;
    };
    await load();
}
