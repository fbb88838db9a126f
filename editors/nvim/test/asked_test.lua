-- What the bridge asks about open documents: to read one anew, what is said of it; what
-- it is told of their encodings; and that it may take a question back.

package.path = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h") .. "/?.lua;" .. package.path
local cases = require("cases")
local child_of = require("child")
local equal, holds = cases.equal, cases.holds

local here = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

--- A child with a bridge that only asks what it is told to, and knows of the file.
---@param files table<string, string>
---@param name string
---@param before? string
---@return test.Child
local function start(files, name, before)
  local child = child_of.start({
    files = files,
    before = before,
    options = {
      cmd = { vim.v.progpath, "--clean", "-l", here .. "/fake.lua", '{"version":1,"serverVersion":"1"}' },
    },
  })
  child:lua([[require("drawbridge.wiring") require("drawbridge.client").start(function() ready = true end)]])
  child:wait("ready", "ready")
  child:ex("edit " .. name)
  child:wait("the file is told", [[require("drawbridge.client").version_of(vim.uri_from_bufnr(0))]])
  return child
end

---@param child test.Child
---@param name string
---@param text string
local function overwrite(child, name, text)
  local path = child.folder .. "/" .. name
  local f = assert(io.open(path, "wb"))
  f:write(text)
  f:close()
  -- Some file systems count the time coarsely.
  vim.uv.fs_utime(path, os.time() + 5, os.time() + 5)
end

---@param child test.Child
---@param method string
---@param params table
local function ask(child, method, params)
  child:lua(
    [[
    local method, params = ...
    params.uri = vim.uri_from_bufnr(0)
    require("drawbridge.client").notify("state/wanted", { id = 7, method = method, params = params })
  ]],
    method,
    params
  )
end

---@param child test.Child
---@param n? integer
---@return any
local function answer(child, n)
  local lines = child:wait("it is answered", function()
    local all = vim.split(child:file("answers") or "", "\n", { trimempty = true })
    return #all >= (n or 1) and all
  end)
  return vim.json.decode(lines[n or 1])
end

---@param child test.Child
---@return string
local function told(child)
  return child:file("told") or ""
end

local numbers = {}
for i = 1, 30 do
  numbers[i] = "line " .. i
end
local thirty = table.concat(numbers, "\n") .. "\n"

cases.run({
  {
    "a clean buffer takes the file's new text; cursor, marks and folds stay, undo goes back; nobody is asked",
    function()
      local child = start({ ["a.txt"] = thirty }, "a.txt", "vim.o.autoread = false")
      child:keys(":set foldmethod=manual<CR>25GmxV3jzf20G4|")
      child:wait("it is folded", [[vim.fn.foldclosed(26) == 25 and vim.fn.line(".") == 20]])
      overwrite(child, "a.txt", "new\n" .. thirty:gsub("line 3\n", "LINE THREE\n", 1))
      ask(child, "editor/refresh", {})
      equal({ refreshed = true }, answer(child))
      equal({ "new", "line 1", "line 2", "LINE THREE" }, vim.list_slice(child:lines(), 1, 4))
      local now = child:lua([[return { vim.fn.line("."), vim.fn.col("."), vim.fn.line("'x"), vim.fn.foldclosed(27), vim.bo.modified }]])
      equal({ 21, 4, 26, 26, false }, now, "cursor, mark, fold, modified")
      holds(told(child):find("textDocument/didChange .*LINE THREE"), told(child))
      child:lua([[vim.cmd("checktime")]])
      holds(not child:blocks(), "nothing is asked")
      child:ex("write")
      child:wait("it can be written without a question", [[not vim.bo.modified]])
      child:keys("u")
      child:wait("undo brings the old text back", [[vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == "line 1"]])
    end,
  },
  {
    "a buffer with unsaved text is not refreshed, nor one whose file is gone",
    function()
      local child = start({ ["a.txt"] = "one\n" }, "a.txt")
      child:keys("omine<Esc>")
      child:wait("typed", "vim.bo.modified")
      overwrite(child, "a.txt", "other\n")
      ask(child, "editor/refresh", {})
      equal({ refreshed = false }, answer(child))
      equal({ "one", "mine" }, child:lines())
      child:keys("u")
      child:wait("undone", "not vim.bo.modified")
      os.remove(child.folder .. "/a.txt")
      ask(child, "editor/refresh", {})
      equal({ refreshed = false }, answer(child, 2))
      equal({ "one" }, child:lines())
    end,
  },
  {
    "what is no plain text of lines is read anew as Neovim does: other line ends, no last line end, an empty file",
    function()
      local child = start({ ["a.txt"] = "one\r\ntwo\r\n" }, "a.txt", "vim.o.autoread = false")
      for i, text in ipairs({ "one\r\n2\r\n", "one\r\n2", "one\r\n2\nthree\r\n", "", "x\r\n" }) do
        overwrite(child, "a.txt", text)
        vim.uv.fs_utime(child.folder .. "/a.txt", os.time() + 5 * i, os.time() + 5 * i)
        ask(child, "editor/refresh", {})
        equal({ refreshed = true }, answer(child, i), vim.inspect(text))
        child:lua([[vim.cmd("silent write! " .. vim.fn.fnameescape(vim.fn.getcwd() .. "/copy"))]])
        local copy = child:file("copy")
        -- 'fixendofline' ends the last line of whatever is written.
        equal(i == 2 and text .. "\r\n" or text, copy, "what the buffer holds")
      end
    end,
  },
  {
    "a file in another encoding is told so, refreshed, and told anew when that changes",
    function()
      local sjis = "\147\250\150\123\140\234\n" -- 日本語
      local child = start({ ["a.txt"] = sjis }, "++enc=sjis a.txt")
      equal({ "日本語" }, child:lines())
      child:wait("it is told", function()
        return told(child):find('document/encoding {[^\n]*"encoding":"shift_jis"') ~= nil
      end)
      holds(told(child):find("didOpen.*\ndocument/encoding"), "after the document was opened")
      overwrite(child, "a.txt", sjis .. sjis)
      ask(child, "editor/refresh", {})
      equal({ refreshed = true }, answer(child))
      equal({ "日本語", "日本語" }, child:lines())
      child:ex("set fileencoding=utf-8")
      child:wait("it is told", function()
        return told(child):find('"encoding":"utf-8"', 1, true) ~= nil
      end)
      child:ex("set fileencoding=utf-16")
      child:wait("by a name that others know", function()
        return told(child):find('"encoding":"utf-16be"', 1, true) ~= nil
      end)
    end,
  },
  {
    "diagnostics: what others say of the present text, not what the bridge says; the wait is for who looks",
    function()
      local child = start({ ["a.txt"] = "grüße x\ntwo\n" }, "a.txt")
      ask(child, "editor/diagnostics", { waitMs = 60000 })
      equal({ diagnostics = {} }, answer(child, 1), "nobody looks, so nothing is waited for")
      child:lua([[
        linter = vim.api.nvim_create_namespace("linter")
        function say(text)
          vim.diagnostic.set(linter, 0, { { lnum = 0, col = 8, end_lnum = 0, end_col = 9, message = text,
            severity = vim.diagnostic.severity.WARN, source = "lint", code = 12 } })
        end
        local own = vim.lsp.diagnostic.get_namespace(require("drawbridge.client").client_id(), false)
        vim.diagnostic.set(own, 0, { { lnum = 0, col = 0, message = "a hunk of the bridge" } })
        say("x is odd")
      ]])
      ask(child, "editor/diagnostics", { waitMs = 60000 })
      local character = child:lua([[return require("drawbridge.documents").encoding()]]) == "utf-8" and 8 or 6
      equal({
        {
          range = { start = { line = 0, character = character }, ["end"] = { line = 0, character = character + 1 } },
          severity = "warning",
          message = "x is odd",
          source = "lint",
          code = "12",
        },
      }, answer(child, 2).diagnostics)
      -- After a change of the text the old word counts for nothing, until it is said anew.
      child:lua([[vim.api.nvim_buf_set_lines(0, 1, 2, false, { "three" }) vim.defer_fn(function() say("x is odder") end, 200)]])
      ask(child, "editor/diagnostics", { waitMs = 60000 })
      equal("x is odder", answer(child, 3).diagnostics[1].message)
      -- The time is over before anybody looks.
      child:lua([[vim.api.nvim_buf_set_lines(0, 1, 2, false, { "four" })]])
      ask(child, "editor/diagnostics", { waitMs = 150 })
      equal("x is odder", answer(child, 4).diagnostics[1].message)
    end,
  },
  {
    "a request that the bridge takes back is answered as cancelled, and its question goes",
    function()
      local child = start({ ["a.txt"] = "one\n" }, "a.txt", [[
        vim.ui.select = function(items, opts, cb) asked = opts.prompt end
      ]])
      ask(child, "window/showMessageRequest", { type = 3, message = "Really?", actions = { { title = "Yes" } } })
      child:wait("it is asked", "asked == 'Really?'")
      child:lua([[require("drawbridge.client").notify("state/wanted", { method = "$/cancelRequest", params = { id = 7 } })]])
      equal(-32800, answer(child))
      child:lua([[require("drawbridge.client").notify("state/wanted", { method = "$/cancelRequest", params = { id = 99 } })]])
      ask(child, "editor/refresh", {})
      equal({ refreshed = true }, answer(child, 2), "a number that nobody knows takes nothing back")
    end,
  },
})
