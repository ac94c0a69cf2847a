// Sets the theme before the first paint. A file of its own because the page allows no inline scripts.
(() => {
  let choice = 'system';
  try {
    choice = localStorage.getItem('theme') ?? 'system';
  } catch {
    // Storage can be switched off; the system's theme is a fine answer then.
  }
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const dark = choice === 'dark' || (choice !== 'light' && systemIsDark);
  document.documentElement.classList.toggle('dark', dark);
})();
