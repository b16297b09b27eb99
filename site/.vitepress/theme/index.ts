import DefaultTheme from 'vitepress/theme-without-fonts'
import './.palette.css'
import './style.css'

export default DefaultTheme
