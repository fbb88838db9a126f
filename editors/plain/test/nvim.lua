-- A person reviews in a Neovim that has no plugin of ours, by what every
-- Neovim has: its language client. Run as nvim --clean --headless -l nvim.lua, in
-- a folder with a workspace, see scripts/test-plain.sh; $BRIDGE names the program.

local asked = {}
local choices = {}

local function fail(...)
  io.stderr:write("nvim: " .. string.format(...) .. "\n")
  io.stderr:write(vim.inspect({ asked = asked, buffer = vim.api.nvim_buf_get_lines(0, 0, -1, false), marks = vim.diagnostic.get(0) }) .. "\n")
  os.exit(1)
end

local function wait_for(what, holds)
  if not vim.wait(90000, holds, 50) then
    fail("waited in vain for %s", what)
  end
end

-- Whatever is to be chosen from a list comes here: questions and code actions.
vim.ui.select = function(items, opts, on_choice)
  local choice = table.remove(choices, 1)
  table.insert(asked, opts.prompt)
  if choice == nil then
    on_choice(nil)
    return
  end
  for i, item in ipairs(items) do
    local title = opts.format_item and opts.format_item(item) or tostring(item)
    if title:find(choice, 1, true) == 1 then
      on_choice(item, i)
      return
    end
  end
  fail("%s is not offered: %s", choice, vim.inspect(items))
end

vim.cmd.edit("a.txt")
local id = vim.lsp.start({ name = "drawbridge", cmd = { vim.env.BRIDGE, "serve" }, root_dir = vim.fn.getcwd() })
local client = assert(vim.lsp.get_client_by_id(id or fail("no client")))
wait_for("the client", function()
  return client.initialized and vim.lsp.buf_is_attached(0, id)
end)

-- The last thing that the person was told.
local told = ""
vim.lsp.handlers["window/showMessage"] = function(_, message)
  told = message.message
end

local function execute(command, argument)
  vim.lsp.buf_request(0, "workspace/executeCommand", { command = command, arguments = { argument } }, function() end)
end

local function marks()
  return vim.tbl_map(function(d)
    return d.message
  end, vim.diagnostic.get(0))
end

local function act(line, title)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  choices = { title }
  vim.lsp.buf.code_action()
  wait_for(title, function()
    return #choices == 0
  end)
end

local function holds(text)
  return function()
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") == text
  end
end

-- Closed without a choice, the question waits at its marks.
execute("drawbridge.prompt", "change it")
wait_for("the question", function()
  return #asked == 1
end)
wait_for("two marks", function()
  return #marks() == 2
end)
act(1, "Accept this hunk")
wait_for("the accepted hunk", function()
  return marks()[1] == "accepted, and waits for the other hunks of this change"
end)
act(9, "Reject this hunk")
wait_for("the accepted hunk alone", holds("ONE\n2\n3\n4\n5\n6\n7\n8\nnine"))
wait_for("no marks", function()
  return #marks() == 0
end)
wait_for("the turn's end", function()
  return told == "Drawbridge: Changed as you chose."
end)
vim.cmd.undo()
if not holds("one\n2\n3\n4\n5\n6\n7\n8\nnine")() then
  fail("one undo did not take it back")
end

-- The next one is accepted as a whole, where the cursor is.
execute("drawbridge.prompt", "once more")
wait_for("one mark", function()
  return #marks() == 1
end)
act(3, "Accept all of this file")
wait_for("the change", holds("one\n2\n3\n4\nfive\n6\n7\n8\nnine"))
wait_for("the turn's end", function()
  return told == "Drawbridge: Left alone."
end)
vim.lsp.stop_client(id)
wait_for("the end", function()
  return vim.lsp.get_client_by_id(id) == nil
end)
print("nvim: ok")
os.exit(0)
