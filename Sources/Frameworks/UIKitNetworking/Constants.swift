internal import FoundationNetworking

/// In the `userInfo` of the error of a download that failed: what `downloadTask(withResumeData:)` goes on with, `Data`.
/// Foundation on Linux has it without the first letters.
public let NSURLSessionDownloadTaskResumeData: String = URLSessionDownloadTaskResumeData
