-- Registers the command and the <Plug> maps. Everything else is loaded when it is
-- first used.
if vim.g.loaded_drawbridge then
  return
end
vim.g.loaded_drawbridge = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.api.nvim_create_user_command("Drawbridge", function()
    vim.notify("drawbridge needs Neovim 0.10 or newer", vim.log.levels.ERROR)
  end, { nargs = "*", bang = true, range = true })
  return
end

vim.api.nvim_create_user_command("Drawbridge", function(args)
  require("drawbridge.commands").run(args)
end, {
  nargs = "*",
  bang = true,
  range = true,
  desc = "Run an AI agent in this folder",
  complete = function(...)
    return require("drawbridge.commands").complete(...)
  end,
})

for name, command in pairs({
  open = "open",
  toggle = "toggle",
  prompt = "prompt",
  stop = "stop",
  new = "new",
  sessions = "sessions",
  continue = "continue",
  resend = "resend",
  mode = "mode",
  model = "model",
  review = "review",
  ["accept-hunk"] = "accept",
  ["reject-hunk"] = "reject",
  ["accept-file"] = "accept!",
  ["reject-file"] = "reject!",
  ["accept-all"] = "acceptall",
  ["reject-all"] = "rejectall",
  ["accept-turn"] = "acceptturn",
  ["reject-turn"] = "rejectturn",
  changes = "changes",
  rewind = "rewind",
  next = "next",
  prev = "prev",
  diff = "diff",
  edit = "edit",
  quickfix = "quickfix",
  approvals = "approvals",
  rules = "rules",
  terminals = "terminals",
  subagents = "subagents",
  picture = "picture",
  settings = "settings",
}) do
  vim.keymap.set("n", ("<Plug>(drawbridge-%s)"):format(name), function()
    require("drawbridge.commands").plug(command)
  end, { desc = "Drawbridge: " .. name:gsub("-", " ") })
end

vim.keymap.set("n", "<Plug>(drawbridge-send-selection)", ":Drawbridge send selection<CR>", {
  silent = true,
  desc = "Drawbridge: mention this line in the prompt",
})
vim.keymap.set("x", "<Plug>(drawbridge-send-selection)", ":Drawbridge send selection<CR>", {
  silent = true,
  desc = "Drawbridge: mention the selection in the prompt",
})

-- Keys that the user asks for in vim.g.drawbridge; none by default.
if type(vim.g.drawbridge) == "table" and vim.g.drawbridge.keys then
  require("drawbridge").map_keys()
end
