// Applies the theme chosen in this browser before the first paint.
try {
  const theme = localStorage.getItem('svc-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked, so the theme of the system applies.
}
