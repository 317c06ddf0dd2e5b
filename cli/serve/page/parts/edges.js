// edges.js - what is wider than its place (.wide) scrolls sideways in it, shows on which sides there is more, and can be scrolled by keys.
//
// What fits is no stop of the Tab key.

const watched = new WeakSet();

function mark(element) {
    const { scrollLeft, clientWidth, scrollWidth } = element;
    const more = [scrollLeft > 1 && 'left', scrollLeft + clientWidth < scrollWidth - 1 && 'right'].filter(Boolean).join(' ');
    if (element.dataset.more !== more)
        element.dataset.more = more;
    if (!element.hasAttribute('role'))
        return;
    if (more)
        element.tabIndex = 0;
    else if (element !== document.activeElement)
        element.removeAttribute('tabindex');
}

const sizes = new ResizeObserver(entries => entries.forEach(({ target }) => target.isConnected && mark(target.closest('.wide'))));

/** Called when something was drawn: what is new of it is marked now, and again when it is scrolled or its size changes. */
export function markEdges(root) {
    for (const element of root.querySelectorAll('.wide')) {
        if (watched.has(element))
            continue;
        watched.add(element);
        element.addEventListener('scroll', () => mark(element), { passive: true });
        sizes.observe(element);
        sizes.observe(element.firstElementChild);
        mark(element);
    }
}
