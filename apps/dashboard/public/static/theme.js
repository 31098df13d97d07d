// Applies the stored theme before the first paint, so that no page flashes in the wrong colours.
try {
  const theme = localStorage.getItem('svc-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // The browser blocks its storage, so the theme of the system applies.
}
