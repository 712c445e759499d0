internal import Glibc
internal import SystemPackage

/// Small files, read and written whole.
enum Files {
    /// The text of a file of at most 64 KiB, `nil` when it cannot be read.
    static func text(_ path: String) -> String? {
        guard let bytes = bytes(path, limit: 65_536) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func bytes(_ path: String, limit: Int) -> [UInt8]? {
        guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec) else { return nil }
        defer { try? file.close() }
        return rest(of: file.rawValue, limit: limit)
    }

    /// What is left to read, up to the limit; `nil` when it cannot be read.
    static func rest(of descriptor: Int32, limit: Int) -> [UInt8]? {
        let file = FileDescriptor(rawValue: descriptor)
        var result: [UInt8] = []
        while result.count < limit {
            guard let piece = try? read(file, atMost: min(65_536, limit - result.count)) else { return nil }
            if piece.isEmpty { break }
            result += piece
        }
        return result
    }

    /// One `read`; empty at the end of the file.
    static func read(_ file: FileDescriptor, atMost count: Int) throws(Errno) -> [UInt8] {
        do {
            return try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = try unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    static func isSocket(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }

    static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK) == 0 }

    static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    static func link(_ path: String) -> String? {
        let text = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            let length = unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress else { return 0 }
                return unsafe readlink(path, start, text.count)
            }
            count = max(0, length)
        }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Names in a folder, sorted; empty when it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func folders(in folder: String) -> [String] {
        names(in: folder).filter { name in
            var status = stat()
            return unsafe lstat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// Removes a file; one that is not there is as good as removed.
    static func remove(_ path: String) { unsafe unlink(path) }

    static func rename(_ from: String, to: String) -> Bool { unsafe Glibc.rename(from, to) == 0 }

    static var lastError: Errno { Errno(rawValue: errno) }
}
