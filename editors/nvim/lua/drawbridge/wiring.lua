--- Everything that hears the bridge or answers it. Loaded before the bridge is
--- started, because what is answered is announced to it in its first message.

local client = require("drawbridge.client")

require("drawbridge.documents")
require("drawbridge.diagnostics")
require("drawbridge.events")
require("drawbridge.sessions")
require("drawbridge.keys")
require("drawbridge.conversation")
require("drawbridge.statusline")
require("drawbridge.approvals")
require("drawbridge.approvals.asking")
require("drawbridge.approvals.reminder")
require("drawbridge.trust")
require("drawbridge.review")
require("drawbridge.terminals")
require("drawbridge.settings")

local group = vim.api.nvim_create_augroup("drawbridge", { clear = true })

vim.api.nvim_create_autocmd("VimLeavePre", {
  group = group,
  desc = "drawbridge: no process is left behind",
  callback = client.leave,
})

local say = require("drawbridge.say")
local kinds = { say.error, say.warn, say.info, say.info }

client.on("window/showMessage", function(params)
  local tell = kinds[params.type] or say.info
  tell(tostring(params.message))
end)

return {}
