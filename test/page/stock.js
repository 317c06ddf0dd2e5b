// stock.js - a store with what views show: runs, reuse, evictions, failures, and names that anybody may choose.
'use strict';
const { Store } = require('./harness');

const hostile = `<img src=x onerror="document.title='taken'">"'&\u202e\u2066gnp.exe\u200f ${'long '.repeat(13000)}`.slice(0, 65000);
const rtl = '\u05e9\u05dc\u05d5\u05dd <b>\u0627\u0644\u0639\u0631\u0628\u064a\u0629</b>';

const command = (id, text, parents = [], more = {}) => ({ id, name: `step-${id}`, type: 'command-line', command: text,
    ...(parents.length ? { parentActions: parents.map(parent => ({ id: parent, as: `p${parent}` })) } : {}), ...more });

/** Runs that were reused and evicted, failures, and a run whose names are hostile; its server runs. */
async function stocked({ serve = true } = {}) {
    const store = new Store({ 'pool.budget': '90K' });
    const chain = word => [command(1, `echo ${word}; sleep 0.05; head -c 20480 /dev/zero > output`), command(2, 'sleep 0.02; cat in/p1 > output', [1]), command(3, 'cat in/p2 > output', [2])];
    for (const word of ['one', 'two', 'one', 'two', 'one']) {
        store.submit('chain', chain(word), ['run', '-q']);
        store.pingo('release', 'last');
    }
    const named = (id, text, parents, name) => command(id, text, parents, { name });
    store.hostile = store.submit(hostile, [named(1, 'echo "<script>alert(1)</script>"; head -c 3000000 /dev/zero | tr "\\0" x >output', [], hostile), named(2, 'wc -c <in/p1 >output', [1], rtl)], ['run', '-q']);
    const bad = n => command(n, `echo "cannot read /data/${n}/<b>x</b>.dat: error 0x${n}f" >&2; exit ${n % 3 + 1}`);
    store.failed = store.submit('fails', [1, 2, 3, 4, 5, 6].map(bad));
    store.tried('run', '--all', '-q');
    if (serve)
        await store.serve();
    return store;
}

/** A workflow of a genome project that is half done, after a run of fewer samples: for README's picture. */
async function halfDone() {
    const store = new Store({ 'executor.slots': 6 });
    const step = (id, name, parents, text) => ({ id, name, type: 'command-line', command: `${text}; cat in/* >output 2>/dev/null || echo ${id} >output`,
        parentActions: parents.map(parent => ({ id: parent, as: `p${parent}` })) });
    const cohort = (samples, slow) => {
        const late = sample => sample >= slow ? 'sleep 120' : 'sleep 0.02';
        const actions = [];
        for (let sample = 0; sample < samples; sample++)
            actions.push(step(4 * sample + 1, `align-${sample}`, [], sample === 13 ? 'echo "sample 13: reads are truncated" >&2; exit 1' : `: ${sample}; ${late(sample)}`),
                step(4 * sample + 2, `sort-${sample}`, [4 * sample + 1], 'sleep 0.03'), step(4 * sample + 3, `call-${sample}`, [4 * sample + 2], 'sleep 0.05'));
        const called = [...Array(samples).keys()].map(sample => 4 * sample + 3);
        return [...actions, step(1001, 'merge', called, ':'), step(1002, 'report', [1001], ':')];
    };
    store.submit('cohort', cohort(10, 99), ['run', '-q']);
    await store.serve();
    store.halfDone = store.submit('cohort', cohort(24, 18));
    return store;
}

/** Every view of such a store: a name and its address. */
async function addresses(store) {
    const hashOf = async (workflow, i) => (await store.ask('GET', `/v1/workflows/${workflow}/actions`)).json.items[i].hash;
    return { now: '#/', workflows: '#/workflows', workflow: '#/workflows/3', 'workflow-failed': `#/workflows/${store.failed}`, 'workflow-hostile': `#/workflows/${store.hostile}`,
        action: '#/workflows/3/actions/3', 'action-failed': `#/workflows/${store.failed}/actions/1`, 'action-hostile': `#/workflows/${store.hostile}/actions/1`,
        run: '#/run/3', 'run-failed': `#/run/${store.failed}`, errors: '#/errors', 'errors-by-name': '#/errors?by=name', 'errors-by-user': '#/errors?by=user&days=30',
        pool: '#/pool', datasets: '#/datasets', dataset: `#/datasets/${await hashOf(3, 2)}`, 'dataset-hostile': `#/datasets/${await hashOf(store.hostile, 0)}`,
        users: '#/users', archive: '#/archive', admin: '#/admin' };
}

/** Goes to a view of a page that is signed in, and waits until it is drawn. */
async function view(page, store, where) {
    await page.goto(`${store.url}/${where}`);
    await page.waitForFunction(at => document.getElementById('app')?.dataset.at === at, where.slice(1));
    await page.waitForFunction(() => [...document.querySelectorAll('.plot')].every(plot => plot.querySelector('canvas') || plot.textContent), null, { timeout: 5000 }).catch(() => {});
}

module.exports = { addresses, view, command, halfDone, hostile, rtl, stocked };
