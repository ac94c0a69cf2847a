// my-app: a list that is kept in this browser. Replace the list with what the app is about; keep how it is done:
// one state, one function that draws it, text that is never put in as HTML, storage that may fail.
const KEY = 'my-app';
const form = document.querySelector('#add');
const list = document.querySelector('#items');
const status = document.querySelector('#status');

let items = load();

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((it) => typeof it === 'string') : [];
  } catch {
    return [];
  }
}

function change(next) {
  items = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(items));
    status.textContent = '';
  } catch {
    status.textContent = 'This browser keeps nothing: what you add is gone when you close the page.';
  }
  draw();
}

function draw() {
  list.replaceChildren(...items.map(drawItem));
}

function drawItem(text, index) {
  const item = document.createElement('li');
  const words = document.createElement('span');
  words.textContent = text;
  const remove = document.createElement('button');
  remove.type = 'button';
  remove.textContent = 'Remove';
  remove.setAttribute('aria-label', `Remove ${text}`);
  remove.addEventListener('click', () => change(items.filter((_, place) => place !== index)));
  item.append(words, remove);
  return item;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = new FormData(form).get('text').trim();
  if (text === '') return;
  change([...items, text]);
  form.reset();
});

draw();
