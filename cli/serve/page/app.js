// app.js - from the address to a view, and again when it changes: the frame around views, and the way in.
import { html, nothing, render } from './lib/lit-html.js';
import { api } from './api.js';
import { isSignedIn, keep, report, signIn } from './source.js';
import { markEdges } from './parts/edges.js';
import { name, notice } from './parts/parts.js';
import { clean, clock } from './parts/text.js';
import { find, views } from './views.js';

const root = document.getElementById('app');
let left = new AbortController(), who; // left: of the view that is shown; who: asks, and as what
let shown = { path: '', content: nothing, isBusy: false, trouble: '' };

/** Draws the frame and what is in it, of which some may be told anew; where what had the focus is gone, the view has it. */
function frame(anew) {
    shown = { ...shown, ...anew };
    const { path, content, isBusy, trouble } = shown, isAt = pattern => pattern === '/' ? path === '/' : path === pattern || path.startsWith(`${pattern}/`);
    const links = report ? [] : views.filter(([, , word, whose]) => word && (!whose || whose === who?.role));
    const hadFocus = root.querySelector('main')?.contains(document.activeElement);
    render(html`<header class="top"><strong>Pingo</strong>${links.length === 0 ? nothing : html`<nav aria-label="Views">${links.map(([pattern, , word]) =>
        html`<a href="#${pattern}" aria-current=${isAt(pattern) ? 'page' : nothing}>${word}</a>`)}</nav>`}${who ? html`<span class="pair who">${name(who.user)}<span class="faint">${who.role}</span>
        <button @click=${leave}>Sign out</button></span>` : nothing}</header>
        <main id="main" tabindex="-1" aria-busy=${isBusy ? 'true' : nothing}>${trouble ? notice(trouble, true) : nothing}${content}</main>`, root);
    markEdges(root);
    if (hadFocus && document.activeElement === document.body)
        document.getElementById('main').focus({ preventScroll: true });
}

/** What was pasted as a token; more than one word of its letters cannot be asked with. */
function take(text) {
    if (!/^[\w.~+/=-]{1,1000}$/.test(text))
        return show('That is no token: one begins with pingo_, and has letters, digits, _ and - alone.');
    keep(text);
    return show();
}

/** Forgets the token of this tab: it stays as good as it is. */
function leave() {
    keep('');
    show();
    document.getElementById('main').focus({ preventScroll: true });
}

const wayIn = why => html`<h1>Who are you?</h1>${why ? notice(why, true) : nothing}
    <p>Each page needs a token. <code>pingo serve --open</code> opens one that has its own; or paste what <code>pingo token create NAME</code> printed:</p>
    <form @submit=${event => { event.preventDefault(); take(new FormData(event.target).get('token').trim()); }}>
    <div class="row"><label for="token">Token</label><input id="token" name="token" type="password" autocomplete="off" required><button>Go on</button></div></form>`;

const notFor = ({ word, role: wanted }) => html`<h1>${word}</h1>${notice(html`Only who has the role ${wanted} sees this view; the token of ${name(who.user)} is of the role ${who.role}.
    <code>pingo token create --role ${wanted} NAME</code> makes another, for whom the store belongs to: sign out, and paste it.`)}`;

/** Shows the view of the address. A view is an async function of { api, parameters, draw, live, left } that draws itself, as often as
 *  it likes, until it is left: what it began has to end with that signal. */
async function show(why) {
    left.abort();
    left = new AbortController();
    delete root.dataset.at;
    const { signal } = left;
    const address = report ? report.view : location.hash.slice(1) || '/';
    const [path] = address.split('?');
    if (path !== shown.path)
        document.title = 'Pingo';
    const draw = content => !signal.aborted && frame({ path, content, isBusy: false });
    const out = said => {
        who = undefined;
        frame({ path, content: wayIn(said), isBusy: false, trouble: '' });
    };
    const at = find(address);
    if (!isSignedIn())
        return out(why);
    if (!at)
        return draw(html`<h1>There is no such view</h1><p>What there is, is listed above.</p>`);
    /** Was it that we are known no more? Then that is told, and nothing else of the view. */
    const isOut = error => {
        if (error.status !== 401 || signal.aborted)
            return error.status === 401;
        out(error.message);
        left.abort();
        return true;
    };
    const context = {
        api, parameters: { ...at.parameters, ...report?.parameters }, draw, left: signal,
        title: text => { if (!signal.aborted) document.title = `${text} - Pingo`; },
        live: load => live(load, signal, isOut),
    };
    try {
        // Another part of the same view takes the place of this one when it is there, so that the focus stays where it is.
        frame(path === shown.path ? { isBusy: true, trouble: '' } : { path, content: html`<p class="faint" role="status">Loading…</p>`, isBusy: true, trouble: '' });
        who = report ? undefined : await api.me();
        if (at.role && at.role !== who?.role) {
            context.title(at.word);
            draw(notFor(at));
        } else
            await at.view(context);
    } catch (error) {
        if (!isOut(error))
            draw(html`<h1>That did not work</h1>${notice(error.message, true)}`);
    }
    if (!signal.aborted)
        root.dataset.at = address; // all of it is there
    return undefined;
}

/** Loads now, and again soon after the store has changed: once for changes that come together, or while it is at it. What takes
 *  long rests three times as long: who only looks takes a quarter of a server's work at most. What cannot be loaded again is told
 *  above what is shown, as long as that is so. */
async function live(load, signal, isOut) {
    let isDue = false, isBusy = true, loaded, took = 0;
    const timed = async () => {
        const begun = Date.now();
        await load().finally(() => { took = Date.now() - begun; });
        loaded = Date.now();
    };
    // Where nothing was loaded yet the view says what is wrong.
    const trouble = text => loaded && !signal.aborted && frame({ trouble: text && html`${text} What is shown is as it was at ${clock(loaded)}.` });
    const again = async () => {
        isDue = true;
        if (isBusy)
            return;
        isBusy = true;
        while (isDue && !signal.aborted) {
            await new Promise(done => setTimeout(done, Math.max(100, 3 * took)));
            isDue = false;
            try {
                await timed();
                trouble('');
            } catch (error) {
                if (!isOut(error))
                    trouble(error.status ? `It could not be loaded again: ${clean(error.message)}` : 'The server does not answer.');
            }
        }
        isBusy = false;
    };
    api.listen((event, data) => {
        if (event === 'out')
            isOut({ status: 401, message: data });
        else if (event === 'lost')
            trouble('The server does not answer.');
        else
            again();
    }, signal);
    await timed().finally(() => { isBusy = false; });
    if (isDue)
        again();
}

/** The view of the address, once a code in it has become a token, also where the tab has one already. */
async function enter() {
    let why;
    const code = /^#t=(\w+)$/.exec(location.hash);
    if (code) {
        history.replaceState(null, '', `${location.pathname}#/`);
        await signIn(code[1]).catch(error => { why = error.message; });
    }
    return show(why);
}

async function start() {
    window.addEventListener('hashchange', event => {
        const path = url => new URL(url).hash.split('?')[0];
        if (path(event.oldURL) !== path(event.newURL)) {
            scrollTo(0, 0);
            document.getElementById('main')?.focus({ preventScroll: true });
        }
        enter();
    });
    window.addEventListener('keydown', event => {
        const field = root.querySelector('input[type=search]');
        if (event.key === '/' && field && !event.ctrlKey && !event.metaKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName)) {
            event.preventDefault();
            field.focus();
        }
    });
    await enter();
    document.documentElement.dataset.ready = 'yes';
}
start();
