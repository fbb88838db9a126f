/** The variables of three themes as the editor hands them to a view: the ones that the view uses. */

export interface Theme {
  /** The classes of the body. */
  readonly body: string;
  readonly variables: Readonly<Record<string, string>>;
}

const type = {
  "font-family": "'DejaVu Sans', sans-serif", "font-size": "13px", "editor-font-family": "'DejaVu Sans Mono', monospace", "editor-font-size": "12px",
};

export const themes = {
  dark: {
    body: "vscode-dark",
    variables: {
      ...type, foreground: "#cccccc", "sideBar-background": "#181818", "editor-background": "#1f1f1f", "editor-foreground": "#cccccc",
      "panel-border": "#2b2b2b", "widget-border": "#313131", "widget-shadow": "rgba(0,0,0,0.36)", descriptionForeground: "#9d9d9d",
      errorForeground: "#f85149", "icon-foreground": "#cccccc", focusBorder: "#0078d4", "toolbar-hoverBackground": "rgba(90,93,94,0.31)",
      "textLink-foreground": "#4daafc", "textLink-activeForeground": "#4daafc", "textCodeBlock-background": "#2b2b2b", "textBlockQuote-border": "#616161",
      "button-background": "#0078d4", "button-foreground": "#ffffff", "button-hoverBackground": "#026ec1", "button-border": "rgba(255,255,255,0.07)",
      "button-secondaryBackground": "#313131", "button-secondaryForeground": "#cccccc", "button-secondaryHoverBackground": "#3c3c3c",
      "input-background": "#313131", "input-foreground": "#cccccc", "input-border": "#3c3c3c", "input-placeholderForeground": "#989898",
      "inputOption-activeBackground": "rgba(36,137,219,0.51)", "inputOption-activeBorder": "#2488db", "inputOption-activeForeground": "#ffffff",
      "inputValidation-warningBackground": "#352a05", "inputValidation-warningBorder": "#b89500", "inputValidation-errorBackground": "#5a1d1d",
      "editorWarning-foreground": "#cca700", "editorWidget-background": "#202020", "list-hoverBackground": "#2a2d2e",
      "list-activeSelectionBackground": "#04395e", "list-activeSelectionForeground": "#ffffff",
      "quickInput-background": "#222222", "quickInput-foreground": "#cccccc", "quickInputList-focusBackground": "#04395e", "quickInputList-focusForeground": "#ffffff",
      "progressBar-background": "#0078d4", "editorLineNumber-foreground": "#6e7681",
      "diffEditor-insertedLineBackground": "rgba(155,185,85,0.2)", "diffEditor-removedLineBackground": "rgba(255,0,0,0.2)",
      "diffEditor-insertedTextBackground": "rgba(156,204,44,0.2)", "diffEditor-removedTextBackground": "rgba(255,0,0,0.2)",
      "gitDecoration-addedResourceForeground": "#81b88b", "gitDecoration-deletedResourceForeground": "#c74e39",
      "debugTokenExpression-name": "#c586c0", "debugTokenExpression-string": "#ce9178", "debugTokenExpression-number": "#b5cea8",
      "debugTokenExpression-boolean": "#4e94ce", "symbolIcon-functionForeground": "#b180d7",
    },
  },
  light: {
    body: "vscode-light",
    variables: {
      ...type, foreground: "#3b3b3b", "sideBar-background": "#f8f8f8", "editor-background": "#ffffff", "editor-foreground": "#3b3b3b",
      "panel-border": "#e5e5e5", "widget-border": "#e5e5e5", "widget-shadow": "rgba(0,0,0,0.16)", descriptionForeground: "#3b3b3b",
      errorForeground: "#f85149", "icon-foreground": "#3b3b3b", focusBorder: "#005fb8", "toolbar-hoverBackground": "rgba(184,184,184,0.31)",
      "textLink-foreground": "#005fb8", "textLink-activeForeground": "#005fb8", "textCodeBlock-background": "#f8f8f8", "textBlockQuote-border": "#e5e5e5",
      "button-background": "#005fb8", "button-foreground": "#ffffff", "button-hoverBackground": "#0258a8", "button-border": "rgba(0,0,0,0.1)",
      "button-secondaryBackground": "#e5e5e5", "button-secondaryForeground": "#3b3b3b", "button-secondaryHoverBackground": "#cccccc",
      "input-background": "#ffffff", "input-foreground": "#3b3b3b", "input-border": "#cecece", "input-placeholderForeground": "#767676",
      "inputOption-activeBackground": "#bed6ed", "inputOption-activeBorder": "#005fb8", "inputOption-activeForeground": "#000000",
      "inputValidation-warningBackground": "#f6f5d2", "inputValidation-warningBorder": "#b89500", "inputValidation-errorBackground": "#f2dede",
      "editorWarning-foreground": "#bf8803", "editorWidget-background": "#f8f8f8", "list-hoverBackground": "#f2f2f2",
      "list-activeSelectionBackground": "#e8e8e8", "list-activeSelectionForeground": "#000000",
      "quickInput-background": "#f8f8f8", "quickInput-foreground": "#3b3b3b", "quickInputList-focusBackground": "#e8e8e8", "quickInputList-focusForeground": "#000000",
      "progressBar-background": "#005fb8", "editorLineNumber-foreground": "#6e7681",
      "diffEditor-insertedLineBackground": "rgba(155,185,85,0.2)", "diffEditor-removedLineBackground": "rgba(255,0,0,0.2)",
      "diffEditor-insertedTextBackground": "rgba(156,204,44,0.25)", "diffEditor-removedTextBackground": "rgba(255,0,0,0.2)",
      "gitDecoration-addedResourceForeground": "#587c0c", "gitDecoration-deletedResourceForeground": "#ad0707",
      "debugTokenExpression-name": "#9b46b0", "debugTokenExpression-string": "#a31515", "debugTokenExpression-number": "#098658",
      "debugTokenExpression-boolean": "#0000ff", "symbolIcon-functionForeground": "#652d90",
    },
  },
  contrast: {
    body: "vscode-high-contrast",
    variables: {
      ...type, foreground: "#ffffff", "sideBar-background": "#000000", "editor-background": "#000000", "editor-foreground": "#ffffff",
      "panel-border": "#6fc3df", "widget-border": "#6fc3df", descriptionForeground: "rgba(255,255,255,0.7)", errorForeground: "#f48771",
      contrastBorder: "#6fc3df", contrastActiveBorder: "#f38518", "icon-foreground": "#ffffff", focusBorder: "#f38518",
      "textLink-foreground": "#21a6ff", "textLink-activeForeground": "#21a6ff", "textCodeBlock-background": "#000000", "textBlockQuote-border": "#ffffff",
      "button-background": "#000000", "button-foreground": "#ffffff", "button-border": "#6fc3df", "button-secondaryForeground": "#ffffff", "button-secondaryBackground": "#000000",
      "input-background": "#000000", "input-foreground": "#ffffff", "input-border": "#6fc3df", "input-placeholderForeground": "rgba(255,255,255,0.7)",
      "inputOption-activeBackground": "rgba(0,0,0,0)", "inputOption-activeBorder": "#f38518", "inputOption-activeForeground": "#ffffff",
      "inputValidation-warningBackground": "#000000", "inputValidation-warningBorder": "#6fc3df", "inputValidation-errorBackground": "#000000",
      "editorWarning-foreground": "#ffd370", "editorWidget-background": "#0c141f", "quickInput-background": "#0c141f", "quickInput-foreground": "#ffffff",
      "progressBar-background": "#6fc3df", "editorLineNumber-foreground": "#ffffff",
      "diffEditor-insertedTextBorder": "#33ff2e", "diffEditor-removedTextBorder": "#ff008f",
      "gitDecoration-addedResourceForeground": "#a1e3ad", "gitDecoration-deletedResourceForeground": "#c74e39",
      "debugTokenExpression-name": "#ffffff", "debugTokenExpression-string": "#f48771", "debugTokenExpression-number": "#89d185",
      "debugTokenExpression-boolean": "#75bdfe", "symbolIcon-functionForeground": "#b180d7",
    },
  },
} satisfies { readonly [name: string]: Theme };

export type ThemeName = keyof typeof themes;
