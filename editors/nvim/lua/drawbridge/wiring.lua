--- Everything that hears the bridge or answers it. Loaded before the bridge is
--- started, because what is answered is announced to it in its first message.

require("drawbridge.documents")
require("drawbridge.events")
require("drawbridge.sessions")
require("drawbridge.conversation")
for _, name in ipairs({ "drawbridge.approvals", "drawbridge.review", "drawbridge.terminals" }) do
  local ok, err = pcall(require, name)
  if not ok and not tostring(err):find("module '" .. name .. "' not found", 1, true) then
    vim.notify(("drawbridge: %s"):format(err), vim.log.levels.ERROR)
  end
end

return {}
