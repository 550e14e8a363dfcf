import { useSyncExternalStore } from 'react'

import { loadPreference, onAdopted, savePreference } from '../preferences/preferences'

export type Theme = 'system' | 'light' | 'dark'

const storageKey = 'motherlode.theme'
const listeners = new Set<() => void>()
const systemDark = window.matchMedia('(prefers-color-scheme: dark)')

function announce(): void {
  for (const listener of listeners) listener()
}
systemDark.addEventListener('change', announce)

export function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset.theme
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

export function chooseTheme(theme: Theme): void {
  show(theme)
  savePreference('theme', theme)
}

onAdopted(() => {
  const theme = loadPreference('theme')
  if ((theme === 'system' || theme === 'light' || theme === 'dark') && theme !== chosenTheme()) show(theme)
})

function show(theme: Theme): void {
  if (theme === 'system') {
    delete document.documentElement.dataset.theme
    localStorage.removeItem(storageKey)
  } else {
    document.documentElement.dataset.theme = theme
    localStorage.setItem(storageKey, theme)
  }
  announce()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme)
}

/** Whether the page is dark now, whoever decided it: for canvases, which CSS does not reach. */
export function useDark(): boolean {
  return useSyncExternalStore(subscribe, () => {
    const theme = chosenTheme()
    return theme === 'system' ? systemDark.matches : theme === 'dark'
  })
}
