internal import CLinux

/// C strings and arrays that live as long as this object: the child must find everything prepared.
@safe final class CStrings {
    private var blocks: [UnsafeMutableRawPointer] = unsafe []

    deinit { unsafe blocks.forEach { unsafe $0.deallocate() } }

    func string(_ text: String) -> UnsafeMutablePointer<CChar> {
        let count = text.utf8.count
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
        for (index, byte) in text.utf8.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
        unsafe copy[count] = 0
        unsafe blocks.append(UnsafeMutableRawPointer(copy))
        return unsafe copy
    }

    func list(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
        unsafe array(texts.map { unsafe string($0) } + [nil])
    }

    func constants(_ texts: [String]) -> UnsafePointer<UnsafePointer<CChar>?> {
        unsafe UnsafePointer(array(texts.map { unsafe UnsafePointer(string($0)) }))
    }

    func array<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        unsafe copy.initialize(from: elements, count: elements.count)
        unsafe blocks.append(UnsafeMutableRawPointer(copy))
        return unsafe copy
    }
}

extension Spawn.Sandbox {
    @unsafe func fill(_ what: inout gr_spawn, _ memory: CStrings) {
        unsafe what.hide = UnsafePointer(memory.string(hide))
        let bound = unsafe memory.array(
            binds.map {
                unsafe gr_bind(
                    source: memory.string($0.source), target: memory.string($0.target),
                    read_only: $0.isReadOnly ? 1 : 0)
            })
        unsafe what.binds = UnsafePointer(bound)
        unsafe what.bind_count = CInt(binds.count)
        let linked = unsafe memory.array(
            links.map { unsafe gr_link(target: memory.string($0.target), path: memory.string($0.path)) })
        unsafe what.links = UnsafePointer(linked)
        unsafe what.link_count = CInt(links.count)
        unsafe what.temporary = temporary.map { unsafe UnsafePointer(memory.string($0)) }
        unsafe what.shown = memory.constants(shown)
        unsafe what.shown_count = CInt(shown.count)
        unsafe what.shared_memory = sharedMemory ?? 0
        unsafe what.own_user = ownsUser ? 1 : 0
        unsafe what.close_processes = closesProcesses ? 1 : 0
        unsafe what.close_rest = closesRest ? 1 : 0
        unsafe what.own_ipc = ownsIPC ? 1 : 0
        unsafe what.hides_processes = hidesProcesses ? 1 : 0
    }
}

extension Spawn.Confinement {
    @unsafe func fill(_ what: inout gr_spawn, _ memory: CStrings) {
        var options: UInt32 = 0
        if sharesUser { options |= GR_CONFINE_SHARED_USER.rawValue }
        if isUntraceable { options |= GR_CONFINE_UNTRACEABLE.rawValue }
        if makesNamespaces { options |= GR_CONFINE_NAMESPACES.rawValue }
        if reachesAbstractSockets { options |= GR_CONFINE_ABSTRACT_SOCKETS.rawValue }
        if isAlone { options |= GR_CONFINE_ALONE.rawValue }
        let confinement = unsafe gr_confinement(
            options: CInt(options), writable: memory.constants(writable), writable_count: CInt(writable.count))
        unsafe what.confinement = UnsafePointer(memory.array([confinement]))
    }
}

extension Spawn.Sandbox {
    /// Whether an ordinary user can have one with all its parts here: some distributions and containers forbid user
    /// namespaces, or mounts in them.
    package static func worksForUsers(hiding directory: String) -> Bool {
        var sandbox = Spawn.Sandbox(hiding: directory)
        sandbox.sharedMemory = 1 << 20
        sandbox.ownsIPC = true
        sandbox.hidesProcesses = true
        sandbox.ownsUser = true
        sandbox.closesProcesses = true
        sandbox.closesRest = true
        // The root folder is no program: everything else has worked if that is what fails.
        var spawn = Spawn(path: "/", arguments: ["/"], environment: [])
        spawn.sandbox = sandbox
        do throws(SpawnError) {
            let process = try spawn.start()
            _ = process.waitUntilDead(milliseconds: 1000) && process.reap() != nil
            return false
        } catch {
            return error.isProgram
        }
    }
}
