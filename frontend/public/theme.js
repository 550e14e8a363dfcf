// Runs before the first paint, so that a chosen theme does not flash; a file of its own because the CSP allows no inline script.
try {
  const chosen = localStorage.getItem('motherlode.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {
  // Storage can be forbidden; the system's theme then applies.
}
