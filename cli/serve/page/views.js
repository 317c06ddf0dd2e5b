// views.js - the views: a pattern of the address behind #, the view, its word in the list at the top (or none), and the role that alone sees it (or none).
import { Action } from './views/action.js';
import { Admin } from './views/admin.js';
import { Archive } from './views/archive.js';
import { Dataset, Datasets } from './views/datasets.js';
import { Errors } from './views/errors.js';
import { Now } from './views/now.js';
import { Pool } from './views/pool.js';
import { Run } from './views/run.js';
import { Simulation } from './views/simulation.js';
import { Users } from './views/users.js';
import { Workflow } from './views/workflow.js';
import { Workflows } from './views/workflows.js';

export const views = [
    ['/', Now, 'Now'],
    ['/workflows', Workflows, 'Workflows'],
    ['/workflows/{workflow}', Workflow],
    ['/workflows/{workflow}/actions/{action}', Action],
    ['/errors', Errors, 'Errors'],
    ['/pool', Pool, 'Pool'],
    ['/datasets', Datasets, 'Datasets'],
    ['/datasets/{hash}', Dataset],
    ['/users', Users, 'Users'],
    ['/archive', Archive, 'Archive'],
    ['/admin', Admin, 'Admin', 'admin'],
    ['/run/{workflow}', Run],
    ['/simulation', Simulation],
];

/** A word of an address; undefined where it is none. */
function decoded(word) {
    try {
        return decodeURIComponent(word);
    } catch {
        return undefined;
    }
}

/** The view of an address, with what its {...} are and its query: { view, word, role, parameters }, or undefined. */
export function find(address) {
    const [path, query] = address.split(/\?(.*)/s), words = path.split('/');
    for (const [pattern, view, word, role] of views) {
        const parts = pattern.split('/'), parameters = Object.fromEntries(new URLSearchParams(query || ''));
        const fits = parts.length === words.length && parts.every((part, i) => {
            if (part[0] !== '{')
                return part === words[i];
            parameters[part.slice(1, -1)] = decoded(words[i]);
            return Boolean(parameters[part.slice(1, -1)]);
        });
        if (fits)
            return { view, word, role, parameters };
    }
    return undefined;
}
