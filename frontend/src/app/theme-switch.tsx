import { Monitor, Moon, Sun } from 'lucide-react'

import { chooseTheme, useTheme, type Theme } from '../shared/ui/theme'

const order: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const words: Record<Theme, string> = { system: 'as the system', light: 'light', dark: 'dark' }
const icons = { system: Monitor, light: Sun, dark: Moon }

export function ThemeSwitch() {
  const theme = useTheme()
  const Icon = icons[theme]
  const says = `Theme: ${words[theme]}. Change to ${words[order[theme]]}`
  return (
    <button type="button" className="button plain icon" aria-label={says} title={says} onClick={() => chooseTheme(order[theme])}>
      <Icon size={16} aria-hidden />
    </button>
  )
}
