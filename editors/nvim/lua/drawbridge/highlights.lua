--- Highlight groups, linked to what every colour scheme has. They are defaults:
--- a colour scheme or the user may set any of them.

local M = {}

---@type table<string, string>
M.groups = {
  DrawbridgePrompt = "Title",
  DrawbridgePromptMark = "Special",
  DrawbridgeSteer = "Identifier",
  DrawbridgeTool = "Function",
  DrawbridgeToolBody = "Normal",
  DrawbridgeThought = "Comment",
  DrawbridgeFold = "Normal",
  DrawbridgeMuted = "Comment",
  DrawbridgeRunning = "DiagnosticInfo",
  DrawbridgeWaiting = "DiagnosticWarn",
  DrawbridgeDone = "DiagnosticOk",
  DrawbridgeFailed = "DiagnosticError",
  DrawbridgeDenied = "DiagnosticWarn",
  DrawbridgeAllow = "DiagnosticOk",
  DrawbridgeAsk = "DiagnosticWarn",
  DrawbridgeDeny = "DiagnosticError",
  DrawbridgeError = "DiagnosticError",
  DrawbridgeHint = "DiagnosticHint",
  DrawbridgePlaceholder = "Comment",
  DrawbridgeMention = "Underlined",
  DrawbridgeKey = "Special",
  DrawbridgeAdd = "DiffAdd",
  DrawbridgeDelete = "DiffDelete",
  DrawbridgeChange = "DiffChange",
  DrawbridgeHunkHeader = "DiffText",
  DrawbridgeSignAdd = "Added",
  DrawbridgeSignDelete = "Removed",
  DrawbridgeSignChange = "Changed",
  DrawbridgeAddLine = "Added",
  DrawbridgeDeleteLine = "Removed",
}

function M.define()
  for name, link in pairs(M.groups) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

M.define()

vim.api.nvim_create_autocmd("ColorScheme", {
  group = vim.api.nvim_create_augroup("drawbridge.highlights", { clear = true }),
  desc = "drawbridge: a colour scheme clears the links",
  callback = M.define,
})

return M
