// Before the first paint: the theme this browser has chosen.
try {
  const theme = localStorage.getItem('svc-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is blocked: the theme of the system.
}
