import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(BackgroundTransfer)
    import BackgroundTransfer
#endif

// standalone-transfer URL FILE: downloads a file in the background. Ended by whatever means and started again, it finds
// its download where it is by then, which may be done.
//
// Without the import of BackgroundTransfer this is a program for macOS, unchanged.

/// Writes a line at once: whoever is killed has said what it knew.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Puts the file where it belongs, and ends the program with the download.
final class Downloader: NSObject, URLSessionDownloadDelegate {
    private let destination: URL

    init(destination: URL) { self.destination = destination }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        // The file is here until this returns.
        do {
            try? FileManager.default.removeItem(at: destination)
            try FileManager.default.moveItem(at: location, to: destination)
            say(
                "moved task \(downloadTask.taskIdentifier), \(downloadTask.taskDescription ?? "without a description")")
        } catch {
            say("cannot move the file: \(error)")
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        say("received \(totalBytesWritten) of \(totalBytesExpectedToWrite)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        say(error.map { "failed: \($0.localizedDescription)" } ?? "completed with status \(status)")
        session.finishTasksAndInvalidate()
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { exit(0) }
}

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    say("usage: standalone-transfer URL FILE")
    exit(2)
}
let configuration = URLSessionConfiguration.background(withIdentifier: "org.example.standalone")
let delegate = Downloader(destination: URL(fileURLWithPath: CommandLine.arguments[2]))
let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)

session.getAllTasks { tasks in
    if let task = tasks.first {
        say("found task \(task.taskIdentifier) at \(task.countOfBytesReceived)")
    } else {
        let task = session.downloadTask(with: url)
        task.taskDescription = url.lastPathComponent
        task.resume()
        say("began task \(task.taskIdentifier)")
    }
}
RunLoop.main.run()
