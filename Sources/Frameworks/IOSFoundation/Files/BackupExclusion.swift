internal import CIOSFoundation
internal import Foundation
internal import Glibc

/// Whether backups leave a file or folder out: the extended attribute that freedesktop.org has for it.
enum BackupExclusion {
    private static let name = "user.xdg.robots.backup"

    static func isExcluded(_ url: NSURL) throws -> Bool {
        let path = try path(of: url, otherwise: .fileReadUnsupportedScheme)
        // Longer than either word.
        var value = [UInt8](repeating: 0, count: 8)
        let count = unsafe value.withUnsafeMutableBytes {
            unsafe iosfoundation_attribute(path, name, $0.baseAddress, $0.count)
        }
        guard count < 0 else { return value.prefix(count).elementsEqual("false".utf8) }
        switch errno {
        // A longer word is not ours, and a file system without attributes excludes nothing.
        case ENODATA, ENOTSUP, ERANGE: return false
        case let code: throw error(code, path, writes: false)
        }
    }

    static func set(_ isExcluded: Bool, on url: NSURL) throws {
        let path = try path(of: url, otherwise: .fileWriteUnsupportedScheme)
        let word: [UInt8]? = isExcluded ? Array("false".utf8) : nil
        let result =
            if let word {
                unsafe word.withUnsafeBytes { unsafe iosfoundation_set_attribute(path, name, $0.baseAddress, $0.count) }
            } else {
                unsafe iosfoundation_set_attribute(path, name, nil, 0)
            }
        guard result != 0 else { return }
        let code = errno
        // What has no such attribute is in backups already.
        if !isExcluded, code == ENODATA || code == ENOTSUP { return }
        throw error(code, path, writes: true)
    }

    private static func path(of url: NSURL, otherwise code: CocoaError.Code) throws -> String {
        guard url.isFileURL, let path = url.path else { throw CocoaError(code) }
        return path
    }

    private static func error(_ code: Int32, _ path: String, writes: Bool) -> CocoaError {
        let cocoa: CocoaError.Code =
            switch code {
            case ENOENT, ENOTDIR: writes ? .fileNoSuchFile : .fileReadNoSuchFile
            case EACCES, EPERM: writes ? .fileWriteNoPermission : .fileReadNoPermission
            case EROFS: .fileWriteVolumeReadOnly
            case ENOSPC, EDQUOT: .fileWriteOutOfSpace
            // The file system has no attributes that users may set.
            case ENOTSUP: .featureUnsupported
            default: writes ? .fileWriteUnknown : .fileReadUnknown
            }
        let reason = NSError(domain: NSPOSIXErrorDomain, code: Int(code))
        return CocoaError(cocoa, userInfo: [NSFilePathErrorKey: path, NSUnderlyingErrorKey: reason])
    }
}

// What stands in place of Foundation's methods (`resources.c`), and what it calls of these for all other values. `URL`
// asks `NSURL`, so this serves both.
extension NSURL {
    @_silgen_name("$s10Foundation5NSURLC17setResourceValuesyySDyAA14URLResourceKeyVypGKF")
    private final func foundationSet(_ values: [URLResourceKey: Any]) throws

    @_silgen_name("$s10Foundation5NSURLC16setResourceValue_6forKeyyypSg_AA011URLResourceG0VtKF")
    private final func foundationSet(_ value: Any?, _ key: URLResourceKey) throws

    @_silgen_name("$s10Foundation5NSURLC14resourceValues7forKeysSDyAA14URLResourceKeyVypGSayAGG_tKF")
    private final func foundationValues(_ keys: [URLResourceKey]) throws -> [URLResourceKey: Any]

    @_silgen_name("$s10Foundation5NSURLC16getResourceValue_6forKeyyyXlSgz_AA011URLResourceG0VtKF")
    private final func foundationValue(_ value: inout AnyObject?, _ key: URLResourceKey) throws

    @_silgen_name("iosfoundation_set_resource_values")
    final func setValues(_ values: [URLResourceKey: Any]) throws {
        var others = values
        guard let value = others.removeValue(forKey: .isExcludedFromBackupKey) else {
            return try foundationSet(values)
        }
        if !others.isEmpty { try foundationSet(others) }
        try setValue(value, .isExcludedFromBackupKey)
    }

    @_silgen_name("iosfoundation_set_resource_value")
    final func setValue(_ value: Any?, _ key: URLResourceKey) throws {
        guard key == .isExcludedFromBackupKey else { return try foundationSet(value, key) }
        // No value stands for the one that every file begins with.
        try BackupExclusion.set((value as? Bool) ?? (value as? NSNumber)?.boolValue ?? false, on: self)
    }

    @_silgen_name("iosfoundation_resource_values")
    final func values(_ keys: [URLResourceKey]) throws -> [URLResourceKey: Any] {
        guard keys.contains(.isExcludedFromBackupKey) else { return try foundationValues(keys) }
        var values = try foundationValues(keys.filter { $0 != .isExcludedFromBackupKey })
        values[.isExcludedFromBackupKey] = try BackupExclusion.isExcluded(self)
        return values
    }

    @_silgen_name("iosfoundation_resource_value")
    final func value(_ value: inout AnyObject?, _ key: URLResourceKey) throws {
        guard key == .isExcludedFromBackupKey else { return try foundationValue(&value, key) }
        value = NSNumber(value: try BackupExclusion.isExcluded(self))
    }
}
